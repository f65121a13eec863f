// Transcendental functions on vectors of float32, in pairs: `Precise` (about 1 ulp) and `Fast`
// (about 1e-4). Part of Highway's once-per-target compilation; include after "hwy/highway.h".
//
// Bounds: u = 2^-24 is half an ulp of 1, one ulp is at most 2u relative. "rel" bounds the relative
// error of results of at least 2^-126 in magnitude; smaller ones are subnormal and may be off by
// 2^-149, or flushed to zero where stated. NaN gives NaN everywhere. The polynomial coefficients
// are minimax fits (reweighted least squares in 40 digits); their error stands beside them. Checked
// over dense ranges by UnaryTest.StaysWithinBound, with the same numbers.
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

// min(max(x, low), high) that keeps NaN: with a NaN, x86 returns the second operand and the
// emulation the first.
HWY_INLINE FloatVec ClampKeepNaN(FloatTag d, FloatVec x, float low, float high) {
  const FloatVec clamped = hn::Min(hn::Set(d, high), hn::Max(hn::Set(d, low), x));
#if HALFTONE_CAN(CHOOSE_SECOND)
  return clamped;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, clamped);
#endif
}

// p * 2^n for whole n in [-252, 254], p in [0.5, 2); one rounding, which only subnormals need.
HWY_INLINE FloatVec ScaleByPowerOfTwo(FloatTag d, FloatVec p, FloatVec n) {
#if HALFTONE_CAN(AVX512)
  (void)d;
  return FloatVec{_mm512_scalef_ps(p.raw, n.raw)};
#else
  // In two halves, since 2^n alone leaves the range of normal numbers.
  const hn::RebindToSigned<FloatTag> di;
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto bias = hn::Set(di, 127);
  const auto first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const auto second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(whole, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
#endif
}

// 1/x: rel 2^-14 on AVX-512 (vrcp14ps, Intel SDM; measured 5.4e-5 on Zen 5), correctly rounded
// elsewhere, where the approximation needs a Newton step and is no faster.
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
// (e^r - 1 - r) / r^2 on |r| <= ln2/2; error of e^r 3.04e-9 relative.
inline constexpr float kExpQuotient[] = {0.4999999345F, 0.166665208F, 0.04166838165F,
                                         0.008368697167F, 0.001381507888F};
// 2^f on |f| <= 1/2; 7.46e-5 relative.
inline constexpr float kExp2Cubic[] = {0.9999280261F, 0.6932610273F, 0.2426111295F, 0.0551716335F};
// Bounds beyond which e^x rounds to 0 and to infinity.
inline constexpr float kExpLow = -104.0F;
inline constexpr float kExpHigh = 89.0F;

// max(x, low) that keeps NaN, as ClampKeepNaN().
HWY_INLINE FloatVec FloorKeepNaN(FloatTag d, FloatVec x, float low) {
  const FloatVec raised = hn::Max(hn::Set(d, low), x);
#if HALFTONE_CAN(CHOOSE_SECOND)
  return raised;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, raised);
#endif
}

// x log2(e) rounded to a whole number, for |x| < 2^21: the last bit of the magic summand has the
// value 1.
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

// e^x, all x. rel 2u = 1 ulp: 2^-25 of two roundings of the reduced argument; u = 2^-24 of the sum
// 1 + p; 2^-26 of p = r + r^2 q; 2^-27 of q and the fit: (1 + 1/2 + 1/4 + 1/8) u < 2u. -inf gives
// 0, +inf gives inf; subnormal results round a second time.
HWY_INLINE FloatVec ExpPrecise(FloatTag d, FloatVec x) {
  return ExpBounded(d, ClampKeepNaN(d, x, kExpLow, kExpHigh));
}

// ExpPrecise() for x <= 0 and NaN.
HWY_INLINE FloatVec ExpPreciseBelow0(FloatTag d, FloatVec x) {
  return ExpBounded(d, FloorKeepNaN(d, x, kExpLow));
}

// e^x, all x. rel 9e-5: 7.46e-5 of the cubic; 1.1e-5 of the roundings of log2(e) and of its product
// with x, which change the result by ln2 * |x log2(e)| * 2u <= 89 * 1.2e-7; 3e-7 of the Horner
// steps.
HWY_INLINE FloatVec ExpFast(FloatTag d, FloatVec x) {
  const FloatVec t = hn::Mul(ClampKeepNaN(d, x, kExpLow, kExpHigh), hn::Set(d, kLog2E));
  const FloatVec n = hn::Round(t);
  return ScaleByPowerOfTwo(d, Polynomial(d, hn::Sub(t, n), kExp2Cubic), n);
}

// 1 / (1 + e^-x). rel 4u = 2 ulp: 2u of e^-x, which weighs e/(1+e) < 1; u of the sum and u of the
// quotient. Results below 2^-126 (x < -87.3) may be 0: e^-x overflows there.
HWY_INLINE FloatVec SigmoidPrecise(FloatTag d, FloatVec x) {
  const FloatVec one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, ExpPrecise(d, hn::Neg(x))));
}

// rel 1.6e-4: 9e-5 of ExpFast, 6.2e-5 of ReciprocalFast. Results below 2^-126 may be 0.
HWY_INLINE FloatVec SigmoidFast(FloatTag d, FloatVec x) {
  return ReciprocalFast(d, hn::Add(hn::Set(d, 1.0F), ExpFast(d, hn::Neg(x))));
}

// (tanh(x)/x - 1) / x^2 in x^2 on [0, 0.626]; error of tanh 4.45e-9 relative.
inline constexpr float kTanhOdd[] = {-0.3333328122F, 0.1333142199F, -0.05373794525F, 0.02063305553F,
                                     -0.005697983231F};

// tanh. rel 4u = 2 ulp. Below 0.625 the polynomial has 0.5u of its correction (at most 12 %, with 4
// roundings) and u of the sum. Above, 2/(e^2a + 1) <= 0.446 has 2u * 0.78 of e, u of the sum and u
// of the quotient, 1.6u absolute; the difference adds 0.5u. Relative to a result of at least 0.555,
// that is 3.8u.
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

// tanh. absolute 1.3e-4: 2/(e^2a + 1) <= 1 has rel 9e-5 * e/(e+1) + 6.2e-5 and three roundings. The
// relative error grows as |x| falls. The sign is always exact, and so are the results at infinity.
HWY_INLINE FloatVec TanhFast(FloatTag d, FloatVec x) {
  const FloatVec a = hn::Abs(x);
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec r = ReciprocalFast(d, hn::Add(ExpFast(d, hn::Add(a, a)), one));
  const FloatVec magnitude = hn::NegMulAdd(hn::Set(d, 2.0F), r, one);
  // Near 0 the approximation can fall below 0; its magnitude stays within the bound.
  return hn::CopySignToAbs(hn::Abs(magnitude), x);
}

// (erf(x) - x)/x in x^2 on [0, 0.93]; error of erf 1.71e-8 relative.
inline constexpr float kErfOdd[] = {0.1283791478F,   -0.3761248155F,  0.1128168586F,
                                    -0.02676180733F, 0.004986035367F, -0.0005954106123F};
// (-ln(erfc(x)) - x)/x on [0.92, 4]; error 6.82e-10 in units of erf.
inline constexpr float kErfcLog[] = {0.1286522723F,   0.6351354492F,   0.1062639425F,
                                     -0.02378606041F, 0.003654114044F, -0.0003257418137F,
                                     1.153149576e-5F};

// erf. rel 4u = 2 ulp. Below 0.925: 0.5u of the correction (at most 0.13) with its roundings, 0.3u
// of the fit, u of the sum. Above, with erfc(0.925) = 0.19: 0.4u of the rounded exponent g <= 2
// (2u), 0.4u of ExpPrecise (2u) and 0.5u of the difference, relative to a result of at least 0.81.
// |x| >= 4 gives 1 exactly.
HWY_INLINE FloatVec ErfPrecise(FloatTag d, FloatVec x) {
  const FloatVec a = ClampKeepNaN(d, hn::Abs(x), 0.0F, 4.0F);
  const FloatVec small = hn::MulAdd(a, Polynomial(d, hn::Mul(a, a), kErfOdd), a);
  const FloatVec g = hn::MulAdd(a, Polynomial(d, a, kErfcLog), a);
  const FloatVec large = hn::Sub(hn::Set(d, 1.0F), ExpPrecise(d, hn::Neg(g)));
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.925F)), small, large), x);
}

// (Phi(x) - 1/2)/x in x^2 on [0, 4]; error of Phi 2.12e-5 absolute.
inline constexpr float kNormalOdd[] = {0.3988475375F,    -0.0661754206F,  0.009664895121F,
                                       -0.001048209241F, 8.06679635e-5F,  -4.100900788e-6F,
                                       1.217120977e-7F,  -1.580796362e-9F};

// The standard normal distribution minus 1/2 for |x| <= 4, absolute 2.2e-5 with rounding.
HWY_INLINE FloatVec NormalMinusHalfFast(FloatTag d, FloatVec x) {
  return hn::Mul(x, Polynomial(d, hn::Mul(x, x), kNormalOdd));
}

// erf(x) = 2 Phi(x sqrt 2) - 1. absolute 1.1e-4: twice 2.2e-5, and 6.4e-5 where the argument is
// clamped at 4 (1 - erf(4/sqrt 2) = 6.33e-5).
HWY_INLINE FloatVec ErfFast(FloatTag d, FloatVec x) {
  const FloatVec t = ClampKeepNaN(d, hn::Mul(x, hn::Set(d, 1.41421356F)), -4.0F, 4.0F);
  const FloatVec half = NormalMinusHalfFast(d, t);
  return hn::Add(half, half);
}

// x Phi(x) by erf. absolute 4u |x|, where (1 + erf)/2 <= 1: 2u of half of the 2 ulp of erf; at most
// 0.9u = 2u * t erf'(t) of the rounded argument; u of the sum.
HWY_INLINE FloatVec GeluPrecise(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, ErfPrecise(d, hn::Mul(x, hn::Set(d, 0.707106781F))), half);
}

// x Phi(x). absolute 1.3e-4: 4 * 2.2e-5 inside [-4, 4]; beyond, where the result is max(x, 0),
// 4 (1 - Phi(4)) = 1.27e-4.
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

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). absolute 4u |x|: 2u of half of the 2 ulp of tanh;
// 0.9u of 4 roundings of its argument, times t (1 - tanh^2 t)/2 <= 0.23; u of the sum.
HWY_INLINE FloatVec GeluTanhPrecise(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, TanhPrecise(d, GeluTanhArgument(d, x)), half);
}

// absolute 7e-5 |x|: TanhFast halved.
HWY_INLINE FloatVec GeluTanhFast(FloatTag d, FloatVec x) {
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  return hn::MulAdd(half, TanhFast(d, GeluTanhArgument(d, x)), half);
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_VECTOR_MATH_INL_H_
