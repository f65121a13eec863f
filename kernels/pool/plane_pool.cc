#include "kernels/pool/plane_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>

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

  // NaN wins from either side.
  static V Join(V sum, V value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, sum), hn::IsNaN(value)), value, sum);
  }
};

struct Sum {
  static V Start() { return hn::Zero(D()); }

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

// Four chains of vectors, the rest padded with the neutral element, the lanes joined in order.
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
  for (; i + kLanes <= count; i += kLanes) {
    chain[0] = Op::Join(chain[0], LoadFloats(d, data + i));
  }
  HWY_ALIGN float lanes[kLanes];
  if (i < count) {
    T rest[kLanes] = {};
    std::memcpy(rest, data + i, static_cast<std::size_t>(count - i) * sizeof(T));
    HWY_ALIGN float values[kLanes];
    hn::Store(LoadFloats(d, rest), d, values);
    hn::Store(Op::Start(), d, lanes);
    std::copy(values, values + (count - i), lanes);
    chain[1] = Op::Join(chain[1], hn::Load(d, lanes));
  }
  const V total = Op::Join(Op::Join(chain[0], chain[1]), Op::Join(chain[2], chain[3]));
  hn::Store(total, d, lanes);
  V result = Op::Start();
  for (const float lane : lanes) {
    result = Op::Join(result, hn::Set(d, lane));
  }
  return hn::GetLane(result);
}

template <class Op>
float ReduceAs(DType dtype, const void* data, std::int64_t count) {
  if (dtype == DType::kFloat16) {
    return Reduce<Op>(static_cast<const Float16*>(data), count);
  }
  if (dtype == DType::kBFloat16) {
    return Reduce<Op>(static_cast<const BFloat16*>(data), count);
  }
  return Reduce<Op>(static_cast<const float*>(data), count);
}

float MaximumPlane(DType dtype, const void* data, std::int64_t count) {
  return ReduceAs<Maximum>(dtype, data, count);
}

float SumPlane(DType dtype, const void* data, std::int64_t count) {
  return ReduceAs<Sum>(dtype, data, count);
}

}  // namespace
}  // namespace halftone::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(Pool);
HWY_EXPORT(MaximumPlane);
HWY_EXPORT(SumPlane);

}  // namespace

void PoolPlane(const PlanePool& pool) noexcept {
  HWY_DYNAMIC_DISPATCH(Pool)(pool);
}

float MaximumOf(DType dtype, const void* data, std::int64_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(MaximumPlane)(dtype, data, count);
}

float SumOf(DType dtype, const void* data, std::int64_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(SumPlane)(dtype, data, count);
}

}  // namespace halftone
#endif  // HWY_ONCE
