#include "kernels/conv/plane_filter.h"

#include <cstring>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/plane_filter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The order matters.
// clang-format off
#include "kernels/vector_storage-inl.h"
#include "kernels/tile/epilogue-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
// Vectors under way at once: an FMA takes 4 cycles and two start per cycle.
constexpr int kAtOnce = 8;

// `count` elements of a row, at most a vector of them there.
template <typename T>
void StoreResult(hn::Vec<D> v, T* y, std::int64_t count) {
  const D d;
  if (count >= kLanes) {
    StoreFloats(v, d, y);
    return;
  }
  T rest[kLanes];
  StoreFloats(v, d, rest);
  std::memcpy(y, rest, static_cast<std::size_t>(count) * sizeof(T));
}

// Walks over the vectors of the output row by row; those that reach over the end of a row compute
// along.
struct Position {
  std::int64_t row = 0;
  std::int64_t column = 0;

  void Advance(std::int64_t width) {
    column += kLanes;
    if (column >= width) {
      column = 0;
      ++row;
    }
  }
};

template <typename T>
void FilterRows(const PlaneFilter& filter) {
  const D d;
  const auto slope = hn::Set(d, filter.slope != nullptr ? *filter.slope : 1.0F);
  Position next;
  while (next.row < filter.rows) {
    Position at[kAtOnce];
    const float* from[kAtOnce];
    hn::Vec<D> sum[kAtOnce];
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i) {
      at[i] = next;
      const Position valid = next.row < filter.rows ? next : Position{};
      from[i] = filter.plane + valid.row * filter.row_step + valid.column;
      sum[i] = hn::Set(d, filter.bias);
      next.Advance(filter.width);
    }
    for (std::int64_t t = 0; t < filter.taps; ++t) {
      const auto weight = hn::Set(d, filter.weights[t]);
#pragma GCC unroll 8
      for (int i = 0; i < kAtOnce; ++i) {
        sum[i] = hn::MulAdd(weight, hn::LoadU(d, from[i] + filter.offsets[t]), sum[i]);
      }
    }
    FinishVectors(
        sum, *filter.epilogue, slope, static_cast<const T*>(filter.residual),
        [&](int i) {
          return at[i].row < filter.rows ? at[i].row * filter.width + at[i].column : 0;
        },
        [&](int i) {
          return at[i].row < filter.rows ? static_cast<std::size_t>(filter.width - at[i].column)
                                         : std::size_t{0};
        });
#pragma GCC unroll 8
    for (int i = 0; i < kAtOnce; ++i) {
      if (at[i].row < filter.rows) {
        StoreResult(sum[i], static_cast<T*>(filter.y) + at[i].row * filter.width + at[i].column,
                    filter.width - at[i].column);
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
