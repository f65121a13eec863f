#include "kernels/pool/whole_planes.h"

#include <cstring>
#include <type_traits>

#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/whole_planes.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/pool/pool_join-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

// The last `rest` of `count` elements, 1 to lanes - 1, in some lanes; Op's neutral element in the
// others. Where there are as many, a vector that ends with them is read.
template <class Op, typename T>
HWY_INLINE FloatVec RestOf(FloatTag d, const T* data, std::int64_t count, std::int64_t rest) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count >= lanes) {
    const FloatVec last = LoadFloats(d, data + count - lanes);
    const auto seen = hn::FirstN(d, static_cast<std::size_t>(lanes - rest));
    return hn::IfThenElse(seen, Op::Start(d), last);
  }
  T padded[kMaxLanes] = {};
  std::memcpy(padded, data, static_cast<std::size_t>(count) * sizeof(T));
  const auto there = hn::FirstN(d, static_cast<std::size_t>(count));
  return hn::IfThenElse(there, LoadFloats(d, padded), Op::Start(d));
}

// Four chains of vectors, then their lanes in pairs.
template <class Op, typename T>
float Reduce(const T* data, std::int64_t count) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FloatVec chain[4] = {Op::Start(d), Op::Start(d), Op::Start(d), Op::Start(d)};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (int c = 0; c < 4; ++c) {
      chain[c] = Op::Join(chain[c], LoadFloats(d, data + i + c * lanes));
    }
  }
  for (int c = 0; i + lanes <= count; i += lanes, ++c) {
    chain[c] = Op::Join(chain[c], LoadFloats(d, data + i));
  }
  if (i < count) {
    chain[1] = Op::Join(chain[1], RestOf<Op>(d, data, count, count - i));
  }
  return Op::OfLanes(d, Op::Join(Op::Join(chain[0], chain[1]), Op::Join(chain[2], chain[3])));
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
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(PoolWhole);

}  // namespace

void PoolWholePlanes(const WholePlanes& pool) noexcept {
  HWY_DYNAMIC_DISPATCH(PoolWhole)(pool);
}

}  // namespace halftone
#endif  // HWY_ONCE
