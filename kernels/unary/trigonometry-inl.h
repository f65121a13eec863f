// Circular and hyperbolic functions and their inverses on vectors of float32. A function calls
// Highway's if that keeps the bound stated here, and adds the values of IEEE 754 that Highway
// leaves open (at infinities, outside the domain). u = 2^-24; one ulp is at most 2u relative.
#if defined(HALFTONE_KERNELS_UNARY_TRIGONOMETRY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_UNARY_TRIGONOMETRY_INL_H_
#undef HALFTONE_KERNELS_UNARY_TRIGONOMETRY_INL_H_
#else
#define HALFTONE_KERNELS_UNARY_TRIGONOMETRY_INL_H_
#endif

#include <cmath>
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Computes one element at a time through libm in double.
template <double (*kScalar)(double)>
HWY_INLINE FloatVec PerLane(FloatTag d, FloatVec x) {
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(x, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = static_cast<float>(kScalar(double{lanes[i]}));
  }
  return hn::Load(d, lanes);
}

// Largest magnitude of an argument that Highway reduces. Larger arguments go through libm in
// double.
inline constexpr float kLargestReducedArgument = 39000.0F;

template <FloatVec (*kVector)(FloatTag, FloatVec), double (*kScalar)(double)>
HWY_INLINE FloatVec Trigonometric(FloatTag d, FloatVec x) {
  const auto in_range = hn::Le(hn::Abs(x), hn::Set(d, kLargestReducedArgument));
  if (HWY_LIKELY(hn::AllTrue(d, in_range))) {
    return kVector(d, x);
  }
  return PerLane<kScalar>(d, x);
}

HWY_INLINE FloatVec SinInRange(FloatTag d, FloatVec x) {
  return hn::Sin(d, x);
}

HWY_INLINE FloatVec CosInRange(FloatTag d, FloatVec x) {
  return hn::Cos(d, x);
}

// sin(x) and cos(x). Absolute 4u for |x| <= 39000 (Highway states 3 ulp; near the zeros of the
// function its reduction leaves an absolute error); u beyond.
HWY_INLINE FloatVec SinOf(FloatTag d, FloatVec x) {
  return Trigonometric<SinInRange, std::sin>(d, x);
}

HWY_INLINE FloatVec CosOf(FloatTag d, FloatVec x) {
  return Trigonometric<CosInRange, std::cos>(d, x);
}

// tan(x). Relative u (1 + 2^-20): the double of libm is within 1 ulp of its type. In vectors the
// poles would need a quotient of relative accuracy, which Sin and Cos do not have near their zeros.
HWY_INLINE FloatVec TanOf(FloatTag d, FloatVec x) {
  return PerLane<std::tan>(d, x);
}

// asin(x). Relative 4u up to 1/2 (Highway states 2 ulp), relative 6u beyond, where 2 ulp do not
// hold: the result is pi/2 - 2 asin(sqrt((1 - |x|)/2)); pi/2 is off by 0.73u, the other term by 2 *
// pi/6 * 1.5u, and the difference adds u, over a result of at least pi/6. Outside [-1, 1], the root
// of a negative number gives NaN.
HWY_INLINE FloatVec AsinOf(FloatTag d, FloatVec x) {
  return hn::Asin(d, x);
}

// acos(x). Relative 4u (Highway states 2 ulp); NaN outside [-1, 1].
HWY_INLINE FloatVec AcosOf(FloatTag d, FloatVec x) {
  return hn::Acos(d, x);
}

// atan(x). Relative 6u (Highway states 3 ulp), for all x.
HWY_INLINE FloatVec AtanOf(FloatTag d, FloatVec x) {
  return hn::Atan(d, x);
}

HWY_INLINE FloatVec NotANumber(FloatTag d) {
  return hn::Set(d, std::numeric_limits<float>::quiet_NaN());
}

HWY_INLINE FloatVec Infinite(FloatTag d) {
  return hn::Set(d, std::numeric_limits<float>::infinity());
}

// asinh(x). Relative 6u (Highway states 3 ulp for finite x).
HWY_INLINE FloatVec AsinhOf(FloatTag d, FloatVec x) {
  const auto finite = hn::Lt(hn::Abs(x), Infinite(d));
  return hn::IfThenElse(finite, hn::Asinh(d, x), x);
}

// acosh(x). Relative 6u (Highway states 3 ulp for finite x of at least 1); NaN below 1.
HWY_INLINE FloatVec AcoshOf(FloatTag d, FloatVec x) {
  const auto finite = hn::Lt(x, Infinite(d));
  const FloatVec y = hn::IfThenElse(finite, hn::Acosh(d, x), x);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0F)), NotANumber(d), y);
}

// atanh(x). Relative 6u inside (-1, 1) (Highway states 3 ulp), infinite at both ends, NaN outside.
HWY_INLINE FloatVec AtanhOf(FloatTag d, FloatVec x) {
  const FloatVec a = hn::Abs(x);
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec end = hn::IfThenElse(hn::Eq(a, one), Infinite(d), NotANumber(d));
  return hn::IfThenElse(hn::Lt(a, one), hn::Atanh(d, x), hn::CopySign(end, x));
}

// e^|x| / 2 as (h/2) h with h = e^(|x|/2), which does not overflow before the result does. Relative
// 6u: 2u of each h, and two products.
HWY_INLINE FloatVec HalfExp(FloatTag d, FloatVec h) {
  return hn::Mul(hn::Mul(h, hn::Set(d, 0.5F)), h);
}

// cosh(x) = e^|x|/2 + 1/(2 e^|x|). Relative 8u: HalfExp 6u; the second term 7u with its quotient,
// at most half of the sum; the sum u.
HWY_INLINE FloatVec CoshOf(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Set(d, 0.5F);
  const FloatVec h = ExpPrecise(d, hn::Mul(hn::Abs(x), half));
  return hn::Add(HalfExp(d, h), hn::Div(half, hn::Mul(h, h)));
}

// Beyond this, e^-|x| is below 2^-57 of sinh(x).
inline constexpr float kSinhLarge = 20.0F;

// sinh(x). Relative 12u up to 20, by Highway: y = e^|x| - 1 within 4 ulp = 8u, two sums, quotient
// and product (y/2 (y + 2)/(y + 1)). Beyond 20, HalfExp.
HWY_INLINE FloatVec SinhOf(FloatTag d, FloatVec x) {
  const FloatVec a = hn::Abs(x);
  const FloatVec large = HalfExp(d, ExpPrecise(d, hn::Mul(a, hn::Set(d, 0.5F))));
  const FloatVec small = hn::Sinh(d, hn::Min(a, hn::Set(d, kSinhLarge)));
  const FloatVec y = hn::IfThenElse(hn::Gt(a, hn::Set(d, kSinhLarge)), large, small);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySignToAbs(y, x));
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_UNARY_TRIGONOMETRY_INL_H_
