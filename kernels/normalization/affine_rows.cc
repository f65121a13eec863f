#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/affine_rows.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/normalization/affine_rows.h"
#include "kernels/vector_count-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

struct Bounds {
  Bounds(FloatTag d, const ActivationRange& range)
      : low(hn::Set(d, range.low)), high(hn::Set(d, range.high)) {}

  // Comparisons with NaN are false: NaN stays.
  [[nodiscard]] HWY_INLINE FloatVec Clamp(FloatVec v) const {
    const FloatVec at_least = hn::IfThenElse(hn::Lt(v, low), low, v);
    return hn::IfThenElse(hn::Gt(at_least, high), high, at_least);
  }

  FloatVec low;
  FloatVec high;
};

template <typename T>
void Plane(const AffinePlane& call) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(call.x);
  T* y = static_cast<T*>(call.y);
  const FloatVec factor = hn::Set(d, call.factor);
  const FloatVec term = hn::Set(d, call.term);
  const Bounds bounds(d, call.range);
  for (std::int64_t i = 0; i < call.count; i += lanes) {
    const std::int64_t count = std::min(lanes, call.count - i);
    const FloatVec value = LoadCount(d, x + i, count);
    StoreCount(d, bounds.Clamp(hn::MulAdd(value, factor, term)), y + i, count);
  }
}

template <typename T>
void Pixels(const AffinePixels& call) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Bounds bounds(d, call.range);
  for (std::int64_t pixel = 0; pixel < call.pixels; ++pixel) {
    const T* x = static_cast<const T*>(call.x) + pixel * call.channels;
    T* y = static_cast<T*>(call.y) + pixel * call.channels;
    for (std::int64_t c = 0; c < call.channels; c += lanes) {
      const std::int64_t count = std::min(lanes, call.channels - c);
      const FloatVec factor = LoadCount(d, call.factors + c, count);
      const FloatVec term = LoadCount(d, call.terms + c, count);
      const FloatVec value = LoadCount(d, x + c, count);
      StoreCount(d, bounds.Clamp(hn::MulAdd(value, factor, term)), y + c, count);
    }
  }
}

AffineLoops LoopsOf(DType dtype) {
  return dtype == DType::kFloat32   ? AffineLoops{Plane<float>, Pixels<float>}
         : dtype == DType::kFloat16 ? AffineLoops{Plane<Float16>, Pixels<Float16>}
                                    : AffineLoops{Plane<BFloat16>, Pixels<BFloat16>};
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(LoopsOf);

AffineLoops FindAffineLoops(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(LoopsOf)(dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
