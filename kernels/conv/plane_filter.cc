#include "kernels/conv/plane_filter.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/plane_filter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
// Vectors under way at once: an FMA takes 4 cycles and two start per cycle.
constexpr int kAtOnce = 8;

template <typename T>
void StoreResult(hn::Vec<D> v, const ActivationRange& range, T* y, std::int64_t count) {
  const D d;
  const auto low = hn::Set(d, range.low);
  const auto high = hn::Set(d, range.high);
  v = hn::IfThenElse(hn::Lt(v, low), low, v);  // false for NaN, which passes
  v = hn::IfThenElse(hn::Gt(v, high), high, v);
  if (count >= kLanes) {
    StoreFloats(v, d, y);
    return;
  }
  T rest[kLanes];
  StoreFloats(v, d, rest);
  std::memcpy(y, rest, static_cast<std::size_t>(count) * sizeof(T));
}

// Vectors are numbered row by row; those that reach over the end of a row compute along.
template <typename T>
void FilterRows(const PlaneFilter& filter) {
  const D d;
  const std::int64_t per_row = (filter.width + kLanes - 1) / kLanes;
  const std::int64_t vectors = filter.rows * per_row;
  for (std::int64_t first = 0; first < vectors; first += kAtOnce) {
    const float* from[kAtOnce];
    hn::Vec<D> sum[kAtOnce];
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t vector = std::min(first + i, vectors - 1);
      from[i] = filter.plane + vector / per_row * filter.row_step + vector % per_row * kLanes;
      sum[i] = hn::Set(d, filter.bias);
    }
    for (std::int64_t t = 0; t < filter.taps; ++t) {
      const auto weight = hn::Set(d, filter.weights[t]);
#pragma GCC unroll 8
      for (int i = 0; i < kAtOnce; ++i) {
        sum[i] = hn::MulAdd(weight, hn::LoadU(d, from[i] + filter.offsets[t]), sum[i]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t vector = first + i;
      if (vector < vectors) {
        const std::int64_t column = vector % per_row * kLanes;
        StoreResult(sum[i], filter.range,
                    static_cast<T*>(filter.y) + vector / per_row * filter.width + column,
                    filter.width - column);
      }
    }
  }
}

void Filter(const PlaneFilter& filter) {
  if (filter.result_dtype == DType::kFloat16) {
    FilterRows<Float16>(filter);
  } else if (filter.result_dtype == DType::kBFloat16) {
    FilterRows<BFloat16>(filter);
  } else {
    FilterRows<float>(filter);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Filter);

}  // namespace

void FilterPlane(const PlaneFilter& filter) noexcept {
  HWY_DYNAMIC_DISPATCH(Filter)(filter);
}

}  // namespace halftone
#endif  // HWY_ONCE
