// Largest and smallest lane of a vector of float32 without NaN. Part of Highway's once-per-target
// compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_VECTOR_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_EXTREMES_INL_H_
#undef HALFTONE_KERNELS_VECTOR_EXTREMES_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_EXTREMES_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

template <bool kLargest>
HWY_INLINE float ExtremeLane(FloatTag d, FloatVec v) {
#if !HALFTONE_CAN(KEEP_INFINITIES)
  // Not MaxOfLanes(), which begins at the largest finite numbers here.
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(v, d, lanes);
  const auto [least, most] = std::minmax_element(lanes, lanes + hn::Lanes(d));
  return kLargest ? *most : *least;
#else
  return hn::GetLane(kLargest ? hn::MaxOfLanes(d, v) : hn::MinOfLanes(d, v));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_EXTREMES_INL_H_
