// Conversion of a vector of float32 to two vectors of double, and back. Part of Highway's
// once-per-target compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_VECTOR_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_HALVES_INL_H_
#undef HALFTONE_KERNELS_VECTOR_HALVES_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_HALVES_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

using DoubleTag = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<DoubleTag>;

// Lanes of a vector of floats as doubles: the lower half and the upper half. If a vector has one
// lane only, `high` is unused.
struct Halves {
  DoubleVec low;
  DoubleVec high;
};

HWY_INLINE Halves Promoted(FloatVec v) {
  const DoubleTag dd;
#if !HALFTONE_CAN(SPLIT_VECTORS)
  return {hn::PromoteTo(dd, v), hn::Zero(dd)};
#else
  const hn::Half<FloatTag> half;
  return {hn::PromoteTo(dd, hn::LowerHalf(half, v)), hn::PromoteTo(dd, hn::UpperHalf(half, v))};
#endif
}

// Rounds to nearest even.
HWY_INLINE FloatVec Demoted(FloatTag d, const Halves& v) {
#if !HALFTONE_CAN(KEEP_INFINITIES)
  // Not DemoteTo(), which turns infinities into the largest float here.
  const DoubleTag dd;
  double doubles[2 * kMaxLanes];
  HWY_ALIGN float floats[kMaxLanes];
  hn::StoreU(v.low, dd, doubles);
  hn::StoreU(v.high, dd, doubles + hn::Lanes(dd));
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    floats[i] = static_cast<float>(doubles[i]);
  }
  return hn::Load(d, floats);
#else
  const hn::Half<FloatTag> half;
  return hn::Combine(d, hn::DemoteTo(half, v.high), hn::DemoteTo(half, v.low));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_HALVES_INL_H_
