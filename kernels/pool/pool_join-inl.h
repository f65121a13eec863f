// Rules for the reduction of a window, to a maximum or a sum. Part of Highway's once-per-target
// compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#undef HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#else
#define HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "kernels/pool/max_keys-inl.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_extremes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Common part of the rules on float32. A rule reduces vectors of `Tag` in two steps (row_pool.h);
// the row between the steps holds elements of type `Lane`. Start() is the neutral element, which
// Load() also puts into lanes behind `count` elements. StoreLanes() writes lanes to that row,
// Store() writes results. OfLanes() reduces the lanes of a vector to one element.
struct FloatLanes {
  using Tag = FloatTag;
  using Lane = float;

  static HWY_INLINE void StoreLanes(FloatTag d, FloatVec v, float* p, std::int64_t count) {
    StoreCount(d, v, p, count);
  }
};

struct Maxima : FloatLanes {
  static constexpr bool kAverage = false;

  static HWY_INLINE FloatVec Start(FloatTag d) {
    return hn::Set(d, -std::numeric_limits<float>::infinity());
  }

  // The result is NaN if either operand is.
  static HWY_INLINE FloatVec Join(FloatVec sum, FloatVec value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, sum), hn::IsNaN(value)), value, sum);
  }

  static HWY_INLINE FloatVec Load(FloatTag d, const float* p, std::int64_t count) {
    return LoadCountOr(d, p, count, -std::numeric_limits<float>::infinity());
  }

  static HWY_INLINE void Store(FloatTag d, FloatVec v, float* p, std::int64_t count) {
    StoreCount(d, v, p, count);
  }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec values) {
    return hn::AllFalse(d, hn::IsNaN(values)) ? ExtremeLane<true>(d, values)
                                              : std::numeric_limits<float>::quiet_NaN();
  }
};

template <typename T>
struct Sums : FloatLanes {
  static constexpr bool kAverage = true;

  static HWY_INLINE FloatVec Start(FloatTag d) { return hn::Zero(d); }

  static HWY_INLINE FloatVec Join(FloatVec sum, FloatVec value) { return hn::Add(sum, value); }

  static HWY_INLINE FloatVec Load(FloatTag d, const T* p, std::int64_t count) {
    return LoadCount(d, p, count);
  }

  static HWY_INLINE void Store(FloatTag d, FloatVec v, T* p, std::int64_t count) {
    StoreCount(d, v, p, count);
  }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec values) {
    return hn::GetLane(hn::SumOfLanes(d, values));
  }
};

// The rule for maxima of T.
template <typename T>
struct MaximaRule {
  using Type = MaxKeys<T>;
};

template <>
struct MaximaRule<float> {
  using Type = Maxima;
};

template <typename T>
using MaximaOf = typename MaximaRule<T>::Type;

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
