// a^b for any float exponents, in vectors of double.
//
// |a|^b = 2^(b log2 |a|) in double, with a few sums in two parts, then one rounding to float32: rel
// (1 + 2^-20) u, as in the scalar loop. With |a| = 2^k m, sqrt(1/2) <= m < sqrt(2):
//   log2 m    by s = (m-1)/(m+1), |s| <= 0.1716: m-1 and m+1 are exact, s has a second part. The
//             series ends 2^-55.2 relative before its sum; what is summed in one part is at most a
//             97th of the logarithm, its 6 roundings 2^-57. k + log2 m is at least 1/2 where k is
//             not 0, and not below log2 m: relative error of log2 |a| at most 2^-54.6
//   b log2 |a|  in two parts; where float32 is neither 0 nor infinite below 150 in magnitude, hence
//             off by 2^-47.3 at most, the result by ln 2 times that, 2^-47.8
//   2^r       |r| <= 1/2, 11 terms: 2^-46.6, roundings 2^-51
// The sum is below 2^-46, a quarter of the 2^-44 that the bound leaves. Zeros and signs are
// restored afterwards; lanes with an infinity or NaN go to std::pow. Checked by
// PowTest.StaysWithinBound and PowTest.SpecialValues.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/power_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <cmath>
#include <limits>

#include "kernels/binary/binary.h"
#include "kernels/binary/operand_loop-inl.h"
#include "kernels/vector_capabilities.h"
#include "kernels/vector_halves-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Sums in two parts need fused multiply-adds.
#if HALFTONE_CAN(FUSE_MULTIPLY_ADD)

// 2 / ln 2 in two parts, and over 3, 5, ...: log2 m = 2 / ln 2 (s + s^3/3 + s^5/5 + ...).
inline constexpr double kScaleHigh = 2.8853900817779268;
inline constexpr double kScaleLow = 4.0710547481862066e-17;
inline constexpr double kLog2Series[] = {
    0.9617966939259756,  0.5770780163555853,  0.4121985831111324,
    0.3205988979753252,  0.2623081892525388,  0.22195308321368667,
    0.19235933878519512, 0.16972882833987804, 0.15186263588304877};
// (ln 2)^j / j!: 2^r = 1 + r ln 2 + ...
inline constexpr double kExp2Series[] = {1.0,
                                         0.6931471805599453,
                                         0.24022650695910072,
                                         0.05550410866482158,
                                         0.009618129107628477,
                                         0.0013333558146428443,
                                         0.0001540353039338161,
                                         1.5252733804059841e-05,
                                         1.321548679014431e-06,
                                         1.01780860092397e-07,
                                         7.054911620801123e-09,
                                         4.4455382718708116e-10};

template <std::size_t kCount>
HWY_INLINE DoubleVec Series(DoubleTag d, DoubleVec x, const double (&c)[kCount]) {
  DoubleVec sum = hn::Set(d, c[kCount - 1]);
  for (std::size_t i = kCount - 1; i-- > 0;) {
    sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  }
  return sum;
}

struct TwoParts {
  DoubleVec high;
  DoubleVec low;
};

// a + b where |a| >= |b| or a is 0: exact (Dekker).
HWY_INLINE TwoParts FastTwoSum(DoubleVec a, DoubleVec b) {
  const DoubleVec sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// log2 of positive finite floats, subnormal ones included.
HWY_INLINE TwoParts Log2(DoubleTag d, DoubleVec a) {
  const hn::RebindToUnsigned<DoubleTag> du;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // the bits of sqrt(1/2)
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000;
  const auto shifted = hn::Add(hn::BitCast(du, a), hn::Set(du, 0x3ff0000000000000 - kRootHalf));
  const auto exponent = hn::Or(hn::ShiftRight<52>(shifted), hn::Set(du, kTwo52));
  const DoubleVec k = hn::Sub(hn::BitCast(d, exponent), hn::Set(d, 0x1p52 + 1023));
  const DoubleVec m =
      hn::BitCast(d, hn::Add(hn::And(shifted, hn::Set(du, kMantissa)), hn::Set(du, kRootHalf)));

  const DoubleVec one = hn::Set(d, 1.0);
  const DoubleVec f = hn::Sub(m, one);
  const DoubleVec g = hn::Add(m, one);
  const DoubleVec q = hn::Div(one, g);
  const DoubleVec s = hn::Mul(f, q);
  const DoubleVec s_low = hn::Mul(hn::NegMulAdd(s, g, f), q);
  const DoubleVec z = hn::Mul(s, s);

  const DoubleVec scale = hn::Set(d, kScaleHigh);
  const DoubleVec first = hn::Mul(scale, s);
  DoubleVec rest = hn::MulSub(scale, s, first);
  rest = hn::MulAdd(hn::Set(d, kScaleLow), s, rest);
  rest = hn::MulAdd(scale, s_low, rest);
  rest = hn::MulAdd(hn::Mul(s, z), Series(d, z, kLog2Series), rest);
  const TwoParts sum = FastTwoSum(k, first);
  return FastTwoSum(sum.high, hn::Add(sum.low, rest));
}

// 2^(b log): beyond 2^1000 and 2^-1000 those, which are infinite and 0 in float32.
HWY_INLINE DoubleVec Exp2Product(DoubleTag d, DoubleVec b, TwoParts log) {
  const hn::RebindToUnsigned<DoubleTag> du;
  const DoubleVec product = hn::Mul(b, log.high);
  const DoubleVec rest = hn::MulAdd(b, log.low, hn::MulSub(b, log.high, product));
  const DoubleVec most = hn::Set(d, 1000.0);
  const DoubleVec high = hn::Max(hn::Neg(most), hn::Min(most, product));
  const DoubleVec n = hn::Round(high);
  // Within the clamp `rest` is at most 2^-42; beyond it, it means nothing.
  const DoubleVec half = hn::Set(d, 0.5);
  const DoubleVec low = hn::Max(hn::Neg(half), hn::Min(half, rest));
  const DoubleVec r = hn::Add(hn::Sub(high, n), low);
  const auto biased = hn::BitCast(du, hn::Add(n, hn::Set(d, 0x1p52 + 1023)));
  return hn::Mul(Series(d, r, kExp2Series), hn::BitCast(d, hn::ShiftLeft<52>(biased)));
}

// a^b for positive finite a and finite b; anything elsewhere.
HWY_INLINE FloatVec PositivePower(FloatTag d, FloatVec a, FloatVec b) {
  const DoubleTag dd;
  const Halves bases = Promoted(a);
  const Halves exponents = Promoted(b);
  return Demoted(d, {Exp2Product(dd, exponents.low, Log2(dd, bases.low)),
                     Exp2Product(dd, exponents.high, Log2(dd, bases.high))});
}

// Zeros and negative numbers, by the sign and the parity of a finite exponent: NaN for a negative
// number to the power of a fraction.
HWY_INLINE FloatVec WithSigns(FloatTag d, FloatVec a, FloatVec b, FloatVec power) {
  const FloatVec zero = hn::Zero(d);
  const FloatVec infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const FloatVec of_zero = hn::IfThenElse(hn::Lt(b, zero), infinity,
                                          hn::IfThenElse(hn::Eq(b, zero), hn::Set(d, 1.0F), zero));
  const FloatVec magnitude = hn::IfThenElse(hn::Eq(a, zero), of_zero, power);
  const FloatVec half = hn::Mul(b, hn::Set(d, 0.5F));
  const auto whole = hn::Eq(hn::Round(b), b);
  const auto odd = hn::AndNot(hn::Eq(hn::Round(half), half), whole);
  const FloatVec sign = hn::And(hn::IfThenElseZero(odd, a), hn::SignBit(d));
  const auto no_number = hn::AndNot(whole, hn::Lt(a, zero));
  return hn::IfThenElse(no_number, hn::NaN(d), hn::Or(magnitude, sign));
}

FloatVec WithSpecialLanes(FloatTag d, FloatVec a, FloatVec b, FloatVec power) {
  HWY_ALIGN float as[kMaxLanes];
  HWY_ALIGN float bs[kMaxLanes];
  HWY_ALIGN float ys[kMaxLanes];
  hn::Store(a, d, as);
  hn::Store(b, d, bs);
  hn::Store(power, d, ys);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!std::isfinite(as[i]) || !std::isfinite(bs[i])) {
      ys[i] = static_cast<float>(std::pow(static_cast<double>(as[i]), static_cast<double>(bs[i])));
    }
  }
  return hn::Load(d, ys);
}

struct PowerOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    const FloatVec power = PositivePower(d, hn::Abs(a), b);
    const auto finite = hn::And(hn::IsFinite(a), hn::IsFinite(b));
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(finite, hn::Gt(a, hn::Zero(d)))))) {
      return power;
    }
    const FloatVec result = WithSigns(d, a, b, power);
    return hn::AllTrue(d, finite) ? result : WithSpecialLanes(d, a, b, result);
  }
};

BinaryLoop FindLoop(DType dtype) {
  return dtype == DType::kFloat32
             ? Loop<float, PowerOp>
             : (dtype == DType::kFloat16 ? Loop<Float16, PowerOp> : Loop<BFloat16, PowerOp>);
}

#else

BinaryLoop FindLoop(DType) {
  return nullptr;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

BinaryLoop FindPowerLoop(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
