#include "kernels/pool/plane_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/plane_pool.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/half_lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

struct Maximum {
  static V Start() { return hn::Set(D(), -std::numeric_limits<float>::infinity()); }

  static float OfLanes(V values) {
    return hn::AllFalse(D(), hn::IsNaN(values)) ? hn::GetLane(hn::MaxOfLanes(D(), values))
                                                : std::numeric_limits<float>::quiet_NaN();
  }

  // NaN wins from either side.
  static V Join(V sum, V value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, sum), hn::IsNaN(value)), value, sum);
  }
};

struct Sum {
  static V Start() { return hn::Zero(D()); }

  static float OfLanes(V values) { return hn::GetLane(hn::SumOfLanes(D(), values)); }

  static V Join(V sum, V value) { return hn::Add(sum, value); }
};

template <class Op, typename T>
void PoolRow(const PlanePool& pool, std::int64_t row, T* y) {
  const D d;
  for (std::int64_t column = 0; column < pool.width; column += kLanes) {
    const float* from = pool.plane + row * pool.row_step + column;
    V sum = Op::Start();
    for (std::int64_t tx = 0; tx < pool.row_taps; ++tx) {
      V in_column = Op::Start();
      for (std::int64_t t = tx; t < pool.taps; t += pool.row_taps) {
        in_column = Op::Join(in_column, hn::LoadU(d, from + pool.offsets[t]));
      }
      sum = Op::Join(sum, in_column);
    }
    if (pool.average) {
      const V count = hn::Mul(hn::Set(d, pool.row_counts[row]),
                              hn::LoadU(d, pool.column_counts + column));  // whole numbers: exact
      sum = hn::Div(sum, count);
    }
    if (pool.width - column >= kLanes) {
      StoreFloats(sum, d, y + column);
    } else {
      T rest[kLanes];
      StoreFloats(sum, d, rest);
      std::memcpy(y + column, rest, static_cast<std::size_t>(pool.width - column) * sizeof(T));
    }
  }
}

template <typename T>
void PoolRows(const PlanePool& pool) {
  for (std::int64_t row = 0; row < pool.rows; ++row) {
    T* y = static_cast<T*>(pool.y) + row * pool.width;
    if (pool.average) {
      PoolRow<Sum>(pool, row, y);
    } else {
      PoolRow<Maximum>(pool, row, y);
    }
  }
}

void Pool(const PlanePool& pool) {
  if (pool.result_dtype == DType::kFloat16) {
    PoolRows<Float16>(pool);
  } else if (pool.result_dtype == DType::kBFloat16) {
    PoolRows<BFloat16>(pool);
  } else {
    PoolRows<float>(pool);
  }
}

// The last `rest` of `count` elements, 1 to kLanes - 1, in some lanes; Op's neutral element in the
// others. Where there are as many, a vector that ends with them is read.
template <class Op, typename T>
V RestOf(const T* data, std::int64_t count, std::int64_t rest) {
  const D d;
  if (count >= kLanes) {
    const V last = LoadFloats(d, data + count - kLanes);
    const auto seen = hn::FirstN(d, static_cast<std::size_t>(kLanes - rest));
    return hn::IfThenElse(seen, Op::Start(), last);
  }
  T padded[kLanes] = {};
  std::memcpy(padded, data, static_cast<std::size_t>(count) * sizeof(T));
  const auto there = hn::FirstN(d, static_cast<std::size_t>(count));
  return hn::IfThenElse(there, LoadFloats(d, padded), Op::Start());
}

// Four chains of vectors, then their lanes in pairs.
template <class Op, typename T>
float Reduce(const T* data, std::int64_t count) {
  const D d;
  V chain[4] = {Op::Start(), Op::Start(), Op::Start(), Op::Start()};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (int c = 0; c < 4; ++c) {
      chain[c] = Op::Join(chain[c], LoadFloats(d, data + i + c * kLanes));
    }
  }
  for (int c = 0; i + kLanes <= count; i += kLanes, ++c) {
    chain[c] = Op::Join(chain[c], LoadFloats(d, data + i));
  }
  if (i < count) {
    chain[1] = Op::Join(chain[1], RestOf<Op>(data, count, count - i));
  }
  return Op::OfLanes(Op::Join(Op::Join(chain[0], chain[1]), Op::Join(chain[2], chain[3])));
}

template <class Op, typename T>
void ReducePlanes(const WholePlanes& pool) {
  const auto* x = static_cast<const T*>(pool.x);
  auto* y = static_cast<T*>(pool.y);
  for (std::int64_t i = 0; i < pool.planes; ++i) {
    const float value = Reduce<Op>(x + i * pool.count, pool.count);
    const float result = pool.average ? value / static_cast<float>(pool.count) : value;
    if constexpr (std::is_same_v<T, float>) {
      y[i] = result;
    } else {
      y[i] = T::FromFloat(result);
    }
  }
}

template <typename T>
void ReducePlanesOf(const WholePlanes& pool) {
  if (pool.average) {
    ReducePlanes<Sum, T>(pool);
  } else {
    ReducePlanes<Maximum, T>(pool);
  }
}

void PoolWhole(const WholePlanes& pool) {
  if (pool.dtype == DType::kFloat16) {
    ReducePlanesOf<Float16>(pool);
  } else if (pool.dtype == DType::kBFloat16) {
    ReducePlanesOf<BFloat16>(pool);
  } else {
    ReducePlanesOf<float>(pool);
  }
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Pool);
HWY_EXPORT(PoolWhole);

}  // namespace

void PoolPlane(const PlanePool& pool) noexcept {
  HWY_DYNAMIC_DISPATCH(Pool)(pool);
}

void PoolWholePlanes(const WholePlanes& pool) noexcept {
  HWY_DYNAMIC_DISPATCH(PoolWhole)(pool);
}

}  // namespace halftone
#endif  // HWY_ONCE
