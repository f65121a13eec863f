// Transcendental functions on vectors of float32, in pairs: `Precise` (1 or 2 ulp) and `Fast`
// (about 1e-4). Part of Highway's once-per-target compilation; include after "hwy/highway.h".
//
// Bounds: u = 2^-24 is half an ulp of 1, and one ulp is at most 2u relative. "Relative" bounds hold
// for results of at least 2^-126 in magnitude. Smaller results are subnormal and may be off by
// 2^-149, or may be 0 where the comment says so. Each comment lists the terms that add up to its
// bound. NaN gives NaN everywhere. The polynomial coefficients are minimax fits (reweighted least
// squares in 40 digits), with their error beside them. UnaryTest.StaysWithinBound checks the bounds
// over dense ranges.
#if defined(HALFTONE_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_VECTOR_MATH_INL_H_
#undef HALFTONE_KERNELS_VECTOR_MATH_INL_H_
#else
#define HALFTONE_KERNELS_VECTOR_MATH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// c[0] + c[1] x + ... by Horner's rule.
template <std::size_t kCount>
HWY_INLINE FloatVec Polynomial(FloatTag d, FloatVec x, const float (&c)[kCount]) {
  FloatVec sum = hn::Set(d, c[kCount - 1]);
  for (std::size_t i = kCount - 1; i-- > 0;) {
    sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  }
  return sum;
}

// min(max(x, low), high) that keeps NaN. If an operand is NaN, Min() and Max() return the second
// operand on x86, and the first in Highway's emulations.
HWY_INLINE FloatVec ClampKeepNaN(FloatTag d, FloatVec x, float low, float high) {
  const FloatVec clamped = hn::Min(hn::Set(d, high), hn::Max(hn::Set(d, low), x));
#if HALFTONE_CAN(CHOOSE_SECOND)
  return clamped;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, clamped);
#endif
}

// p * 2^n for whole n in [-252, 254] and p in [0.5, 2). Only subnormal results are rounded, once.
HWY_INLINE FloatVec ScaleByPowerOfTwo(FloatTag d, FloatVec p, FloatVec n) {
#if HALFTONE_CAN(AVX512)
  (void)d;
  return FloatVec{_mm512_scalef_ps(p.raw, n.raw)};
#else
  // Two factors, because 2^n alone may lie outside the range of normal numbers.
  const hn::RebindToSigned<FloatTag> di;
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto bias = hn::Set(di, 127);
  const auto first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const auto second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(whole, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
#endif
}

// 1/x. On AVX-512 relative 2^-14 (vrcp14ps, Intel SDM; measured 5.4e-5 on Zen 5). Elsewhere
// correctly rounded by a division: an approximation would need a Newton step and be no faster.
HWY_INLINE FloatVec ReciprocalFast(FloatTag d, FloatVec x) {
#if HALFTONE_CAN(AVX512)
  (void)d;
  return FloatVec{_mm512_rcp14_ps(x.raw)};
#else
  return hn::Div(hn::Set(d, 1.0F), x);
#endif
}

inline constexpr float kLog2E = 1.44269504F;
// ln 2 in two parts; the first has 9 significant bits, so that n * it is exact for |n| < 2^15.
inline constexpr float kLn2High = 0.693145752F;
inline constexpr float kLn2Low = 1.42860677e-6F;
// (e^r - 1 - r) / r^2 on |r| <= ln2/2; relative error of e^r 3.04e-9.
inline constexpr float kExpQuotient[] = {0.4999999345F, 0.166665208F, 0.04166838165F,
                                         0.008368697167F, 0.001381507888F};
// 2^f on |f| <= 1/2; relative error 7.46e-5.
inline constexpr float kExp2Cubic[] = {0.9999280261F, 0.6932610273F, 0.2426111295F, 0.0551716335F};
// Bounds beyond which e^x rounds to 0 and to infinity.
inline constexpr float kExpLow = -104.0F;
inline constexpr float kExpHigh = 89.0F;

// max(x, low) that keeps NaN, like ClampKeepNaN().
HWY_INLINE FloatVec FloorKeepNaN(FloatTag d, FloatVec x, float low) {
  const FloatVec raised = hn::Max(hn::Set(d, low), x);
#if HALFTONE_CAN(CHOOSE_SECOND)
  return raised;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, raised);
#endif
}

// x log2(e) rounded to a whole number, for |x| < 2^21. Adding and subtracting 1.5 * 2^23 rounds,
// because the last bit of such a number has the value 1.
HWY_INLINE FloatVec WholeLog2(FloatTag d, FloatVec x) {
  const FloatVec magic = hn::Set(d, 0x1.8p23F);
  return hn::Sub(hn::MulAdd(x, hn::Set(d, kLog2E), magic), magic);
}

// e^x for x in [kExpLow, kExpHigh], with the bound of ExpPrecise().
HWY_INLINE FloatVec ExpBounded(FloatTag d, FloatVec x) {
  const FloatVec n = WholeLog2(d, x);
  const FloatVec high = hn::NegMulAdd(n, hn::Set(d, kLn2High), x);
  const FloatVec r = hn::NegMulAdd(n, hn::Set(d, kLn2Low), high);
  const FloatVec p = hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, kExpQuotient), r);
  return ScaleByPowerOfTwo(d, hn::Add(hn::Set(d, 1.0F), p), n);
}

// e^x for all x. Relative 2u = 1 ulp: u from the sum 1 + p; u/2 from two roundings of the reduced
// argument r; u/4 from p = r + r^2 q; u/8 from q and its fit; together less than 2u. -inf gives 0,
// +inf gives inf. Subnormal results are rounded a second time.
HWY_INLINE FloatVec ExpPrecise(FloatTag d, FloatVec x) {
  return ExpBounded(d, ClampKeepNaN(d, x, kExpLow, kExpHigh));
}

// ExpPrecise() for x <= 0 and NaN.
HWY_INLINE FloatVec ExpPreciseBelow0(FloatTag d, FloatVec x) {
  return ExpBounded(d, FloorKeepNaN(d, x, kExpLow));
}

// e^x for all x. Relative 9e-5: 7.46e-5 from the cubic; 1.1e-5 from the roundings of log2(e) and of
// x log2(e), which change the result by ln2 * |x log2(e)| * 2u <= 89 * 1.2e-7; 3e-7 from the
// Horner steps.
HWY_INLINE FloatVec ExpFast(FloatTag d, FloatVec x) {
  const FloatVec t = hn::Mul(ClampKeepNaN(d, x, kExpLow, kExpHigh), hn::Set(d, kLog2E));
  const FloatVec n = hn::Round(t);
  return ScaleByPowerOfTwo(d, Polynomial(d, hn::Sub(t, n), kExp2Cubic), n);
}

// 1 / (1 + e^-x). Relative 4u = 2 ulp: 2u from e^-x, whose weight in the sum is below 1; u from the
// sum; u from the quotient. Results below 2^-126 (x < -87.3) may be 0: e^-x overflows there.
HWY_INLINE FloatVec SigmoidPrecise(FloatTag d, FloatVec x) {
  const FloatVec one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, ExpPrecise(d, hn::Neg(x))));
}

// 1 / (1 + e^-x). Relative 1.6e-4: 9e-5 from ExpFast(), 6.2e-5 from ReciprocalFast(). Results below
// 2^-126 may be 0.
HWY_INLINE FloatVec SigmoidFast(FloatTag d, FloatVec x) {
  return ReciprocalFast(d, hn::Add(hn::Set(d, 1.0F), ExpFast(d, hn::Neg(x))));
}

// (tanh(x)/x - 1) / x^2, a polynomial in x^2, on [0, 0.626]; relative error of tanh 4.45e-9.
inline constexpr float kTanhOdd[] = {-0.3333328122F, 0.1333142199F, -0.05373794525F, 0.02063305553F,
                                     -0.005697983231F};

// tanh(x), with a = |x|. Relative 4u = 2 ulp. For a below 0.625: 0.5u from the polynomial's
// correction, which is at most 12 % of the result and has 4 roundings; u from the sum. Above, the
// quotient 2/(e^2a + 1) is at most 0.446; it has 0.78 * 2u from e^2a, u from the sum and u from the
// division, 1.6u absolute. The difference from 1 adds 0.5u. Relative to a result of at least 0.555,
// 2.1u is 3.8u.
HWY_INLINE FloatVec TanhPrecise(FloatTag d, FloatVec x) {
  const FloatVec a = hn::Abs(x);
  const FloatVec s = hn::Mul(x, x);
  const FloatVec small = hn::MulAdd(hn::Mul(a, s), Polynomial(d, s, kTanhOdd), a);
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec e = ExpPrecise(d, hn::Add(a, a));
  const FloatVec large = hn::Sub(one, hn::Div(hn::Set(d, 2.0F), hn::Add(e, one)));
  // e overflows to infinity for large a: the quotient is 0 and the result 1.
  const FloatVec magnitude = hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625F)), small, large);
  return hn::CopySignToAbs(magnitude, x);
}

// tanh(x), with a = |x|. Absolute 1.3e-4: the quotient 2/(e^2a + 1) is at most 1; its relative
// error is 9e-5 * e^2a/(e^2a + 1) + 6.2e-5 and three roundings. The relative error of tanh grows as
// |x| falls. The sign is always exact, and so are the results at infinity.
HWY_INLINE FloatVec TanhFast(FloatTag d, FloatVec x) {
  const FloatVec a = hn::Abs(x);
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec r = ReciprocalFast(d, hn::Add(ExpFast(d, hn::Add(a, a)), one));
  const FloatVec magnitude = hn::NegMulAdd(hn::Set(d, 2.0F), r, one);
  // Near 0 the approximation can fall below 0; its magnitude stays within the bound.
  return hn::CopySignToAbs(hn::Abs(magnitude), x);
}

// (erf(x) - x)/x, a polynomial in x^2, on [0, 0.93]; relative error of erf 1.71e-8.
inline constexpr float kErfOdd[] = {0.1283791478F,   -0.3761248155F,  0.1128168586F,
                                    -0.02676180733F, 0.004986035367F, -0.0005954106123F};
// (-ln(erfc(x)) - x)/x on [0.92, 4]; absolute error of erf 6.82e-10.
inline constexpr float kErfcLog[] = {0.1286522723F,   0.6351354492F,   0.1062639425F,
                                     -0.02378606041F, 0.003654114044F, -0.0003257418137F,
                                     1.153149576e-5F};

// erf(x), with a = |x|. Relative 4u = 2 ulp. For a below 0.925: 0.5u from the polynomial's
// correction (at most 0.13) with its roundings, 0.3u from its fit, u from the sum. Above, erfc is
// at most 0.19: 0.4u absolute from the rounded exponent g = -ln(erfc(a)), 0.4u from ExpPrecise(),
// and 0.5u from the difference from 1, while the result is at least 0.81. a >= 4 gives 1 exactly.
HWY_INLINE FloatVec ErfPrecise(FloatTag d, FloatVec x) {
  const FloatVec a = ClampKeepNaN(d, hn::Abs(x), 0.0F, 4.0F);
  const FloatVec small = hn::MulAdd(a, Polynomial(d, hn::Mul(a, a), kErfOdd), a);
  const FloatVec g = hn::MulAdd(a, Polynomial(d, a, kErfcLog), a);
  const FloatVec large = hn::Sub(hn::Set(d, 1.0F), ExpPrecise(d, hn::Neg(g)));
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.925F)), small, large), x);
}

// (Phi(x) - 1/2)/x, a polynomial in x^2, on [0, 4]; absolute error of Phi 2.12e-5. Phi is the
// standard normal distribution function.
inline constexpr float kNormalOdd[] = {0.3988475375F,    -0.0661754206F,  0.009664895121F,
                                       -0.001048209241F, 8.06679635e-5F,  -4.100900788e-6F,
                                       1.217120977e-7F,  -1.580796362e-9F};

// Phi(x) - 1/2 for |x| <= 4. Absolute 2.2e-5 with rounding.
HWY_INLINE FloatVec NormalMinusHalfFast(FloatTag d, FloatVec x) {
  return hn::Mul(x, Polynomial(d, hn::Mul(x, x), kNormalOdd));
}

// erf(x) = 2 Phi(x sqrt 2) - 1. Absolute 1.1e-4: twice 2.2e-5 from Phi, and 6.4e-5 where the
// argument is clamped at 4 (1 - erf(4/sqrt 2) = 6.33e-5).
HWY_INLINE FloatVec ErfFast(FloatTag d, FloatVec x) {
  const FloatVec t = ClampKeepNaN(d, hn::Mul(x, hn::Set(d, 1.41421356F)), -4.0F, 4.0F);
  const FloatVec half = NormalMinusHalfFast(d, t);
  return hn::Add(half, half);
}

// x Phi(x) = x/2 (1 + erf(t)) with t = x / sqrt 2. Absolute 4u |x|: 2u |x| from half of the error
// of erf; at most 0.9u |x| from the rounding of t; u |x| from the sum.
HWY_INLINE FloatVec GeluPrecise(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, ErfPrecise(d, hn::Mul(x, hn::Set(d, 0.707106781F))), half);
}

// x Phi(x). Absolute 1.3e-4: inside [-4, 4], 4 * 2.2e-5 from Phi; outside, the result is max(x, 0),
// which is off by at most 4 (1 - Phi(4)) = 1.27e-4.
HWY_INLINE FloatVec GeluFast(FloatTag d, FloatVec x) {
  const FloatVec inside = hn::Mul(x, hn::Add(NormalMinusHalfFast(d, x), hn::Set(d, 0.5F)));
  const auto positive = hn::Gt(x, hn::Zero(d));
  // A product, so that -inf gives NaN as the formula does.
  const FloatVec outside = hn::Mul(x, hn::IfThenElseZero(positive, hn::Set(d, 1.0F)));
  return hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Set(d, 4.0F)), outside, inside);
}

inline constexpr float kSqrtTwoOverPi = 0.797884561F;
inline constexpr float kGeluCubic = 0.044715F;

HWY_INLINE FloatVec GeluTanhArgument(FloatTag d, FloatVec x) {
  const FloatVec inner = hn::MulAdd(hn::Mul(x, x), hn::Set(d, kGeluCubic * kSqrtTwoOverPi),
                                    hn::Set(d, kSqrtTwoOverPi));
  return hn::Mul(x, inner);
}

// x/2 (1 + tanh(t)) with t = sqrt(2/pi) (x + 0.044715 x^3). Absolute 4u |x|: 2u |x| from half of
// the error of tanh; 0.9u |x| from the 4 roundings of t, whose weight is t (1 - tanh^2 t)/2 <=
// 0.23; u |x| from the sum.
HWY_INLINE FloatVec GeluTanhPrecise(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, TanhPrecise(d, GeluTanhArgument(d, x)), half);
}

// Same function as GeluTanhPrecise(). Absolute 7e-5 |x|: half of the error of TanhFast().
HWY_INLINE FloatVec GeluTanhFast(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, TanhFast(d, GeluTanhArgument(d, x)), half);
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_MATH_INL_H_
