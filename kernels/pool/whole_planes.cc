#include "kernels/pool/whole_planes.h"

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

// The last `rest` of `count` elements, 1 to lanes - 1, in some lanes; the neutral element in the
// others. Where there are as many, a vector that ends with them is read.
template <class Rule, typename T>
HWY_INLINE hn::Vec<typename Rule::Tag> RestOf(const T* data, std::int64_t count,
                                              std::int64_t rest) {
  const typename Rule::Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) {
    return Rule::Load(d, data, count);
  }
  const auto last = Rule::Load(d, data + count - lanes, lanes);
  const auto seen = hn::FirstN(d, static_cast<std::size_t>(lanes - rest));
  return hn::IfThenElse(seen, Rule::Start(d), last);
}

// Four chains of vectors, then their lanes in pairs.
template <class Rule, typename T>
auto Reduce(const T* data, std::int64_t count) {
  const typename Rule::Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<typename Rule::Tag> chain[4] = {Rule::Start(d), Rule::Start(d), Rule::Start(d),
                                          Rule::Start(d)};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (int c = 0; c < 4; ++c) {
      chain[c] = Rule::Join(chain[c], Rule::Load(d, data + i + c * lanes, lanes));
    }
  }
  for (int c = 0; i + lanes <= count; i += lanes, ++c) {
    chain[c] = Rule::Join(chain[c], Rule::Load(d, data + i, lanes));
  }
  if (i < count) {
    chain[1] = Rule::Join(chain[1], RestOf<Rule>(data, count, count - i));
  }
  return Rule::OfLanes(d,
                       Rule::Join(Rule::Join(chain[0], chain[1]), Rule::Join(chain[2], chain[3])));
}

template <class Rule, typename T>
void ReducePlanes(const WholePlanes& pool) {
  const auto* x = static_cast<const T*>(pool.x);
  auto* y = static_cast<T*>(pool.y);
  for (std::int64_t i = 0; i < pool.planes; ++i) {
    const auto value = Reduce<Rule>(x + i * pool.count, pool.count);
    if constexpr (!Rule::kAverage) {
      y[i] = value;
    } else if constexpr (std::is_same_v<T, float>) {
      y[i] = value / static_cast<float>(pool.count);
    } else {
      y[i] = T::FromFloat(value / static_cast<float>(pool.count));
    }
  }
}

template <typename T>
void ReducePlanesOf(const WholePlanes& pool) {
  if (pool.average) {
    ReducePlanes<Sums<T>, T>(pool);
  } else {
    ReducePlanes<MaximaOf<T>, T>(pool);
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
