// Reductions over a window: maximum and sum. Part of Highway's once-per-target compilation (the
// guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#undef HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#else
#define HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "kernels/vector_extremes-inl.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

struct Maximum {
  static HWY_INLINE FloatVec Start(FloatTag d) {
    return hn::Set(d, -std::numeric_limits<float>::infinity());
  }

  // NaN wins from either side.
  static HWY_INLINE FloatVec Join(FloatVec sum, FloatVec value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, sum), hn::IsNaN(value)), value, sum);
  }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec values) {
    return hn::AllFalse(d, hn::IsNaN(values)) ? ExtremeLane<true>(d, values)
                                              : std::numeric_limits<float>::quiet_NaN();
  }
};

struct Sum {
  static HWY_INLINE FloatVec Start(FloatTag d) { return hn::Zero(d); }

  static HWY_INLINE FloatVec Join(FloatVec sum, FloatVec value) { return hn::Add(sum, value); }

  static HWY_INLINE float OfLanes(FloatTag d, FloatVec values) {
    return hn::GetLane(hn::SumOfLanes(d, values));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_POOL_POOL_JOIN_INL_H_
