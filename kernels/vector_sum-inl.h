// Sums of vectors of float32 in double (PreciseSum) or in float32 lanes (FastSum). Part of
// Highway's once-per-target compilation; include after "hwy/highway.h".
//
// Bound of the error of a sum of n values v, with u = 2^-24. PreciseSum: n 2^-53 sum |v|, which is
// negligible beside the rounding of the result to float32. FastSum: (n / lanes + log2(lanes) + 1) u
// sum |v|, since each lane adds n / lanes values one after the other (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., 4.2).
#if defined(HALFTONE_KERNELS_VECTOR_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_SUM_INL_H_
#undef HALFTONE_KERNELS_VECTOR_SUM_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_SUM_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_halves-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Sum in double. The halves are two members: with one member of type Halves
// (vector_halves-inl.h), LayerNormalization of 256x768 took 1.5 times as long
// (labs/onnxruntime/layer_networks.py; gcc 12, Skylake-SP).
class PreciseSum {
 public:
  // Written out: an implicit constructor would be compiled without the target's instructions.
  HWY_INLINE PreciseSum() : low_(hn::Zero(DoubleTag())), high_(hn::Zero(DoubleTag())) {}

  HWY_INLINE void Add(FloatTag d, FloatVec v) {
#if !HALFTONE_CAN(SPLIT_VECTORS)
    low_ = hn::Add(low_, hn::PromoteTo(DoubleTag(), v));
    (void)d;
#else
    const hn::Half<FloatTag> half;
    low_ = hn::Add(low_, hn::PromoteTo(DoubleTag(), hn::LowerHalf(half, v)));
    high_ = hn::Add(high_, hn::PromoteTo(DoubleTag(), hn::UpperHalf(half, v)));
    (void)d;
#endif
  }

  HWY_INLINE double Total(FloatTag) const {
    const DoubleTag dd;
    return hn::GetLane(hn::SumOfLanes(dd, hn::Add(low_, high_)));
  }

  // The sum of each lane, rounded to float32.
  HWY_INLINE FloatVec Lanes(FloatTag d) const {
    return Demoted(d, {low_, high_});
  }

 private:
  DoubleVec low_;
  DoubleVec high_;
};

class FastSum {
 public:
  HWY_INLINE FastSum() : sum_(hn::Zero(FloatTag())) {}

  HWY_INLINE void Add(FloatTag, FloatVec v) { sum_ = hn::Add(sum_, v); }

  HWY_INLINE double Total(FloatTag d) const { return hn::GetLane(hn::SumOfLanes(d, sum_)); }

  HWY_INLINE FloatVec Lanes(FloatTag) const { return sum_; }

 private:
  FloatVec sum_;
};

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_SUM_INL_H_
