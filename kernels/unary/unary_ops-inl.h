// Formulas of the unary operators on vectors of float32, one functor per operator and mode. A
// functor without a bound in its comment is correctly rounded. u = 2^-24, rel stands for relative.
#if defined(HALFTONE_KERNELS_UNARY_UNARY_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_UNARY_UNARY_OPS_INL_H_
#undef HALFTONE_KERNELS_UNARY_UNARY_OPS_INL_H_
#else
#define HALFTONE_KERNELS_UNARY_UNARY_OPS_INL_H_
#endif

#include <cmath>
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/unary/unary_loop.h"
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// Wrapper of a function of one vector, so that a table row can name it.
template <FloatVec (*kFunction)(FloatTag, FloatVec)>
struct Plain {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    return kFunction(d, x);
  }
};

struct AbsOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Abs(x);
  }
};

struct CeilOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Ceil(x);
  }
};

struct FloorOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Floor(x);
  }
};

struct NegOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Neg(x);
  }
};

// Rounds half to even.
struct RoundOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Round(x);
  }
};

struct SqrtOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec x, const UnaryParams&) const {
    return hn::Sqrt(x);
  }
};

struct ReluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  }
};

struct ClipOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return ClampKeepNaN(d, x, p.a, p.b);
  }
};

struct SignOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    const FloatVec one = hn::Set(d, 1.0F);
    const FloatVec up = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), one, x);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(one), up);
  }
};

struct LeakyReluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, p.a)), x);
  }
};

// clamp(a x + b, 0, 1). rel u of the sum, unless it is clamped; without FMA also u |a x|.
struct HardSigmoidOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return ClampKeepNaN(d, hn::MulAdd(x, hn::Set(d, p.a), hn::Set(d, p.b)), 0.0F, 1.0F);
  }
};

// x * clamp(x/6 + 1/2, 0, 1). Absolute 3u |x|: u/2 of the rounded 1/6, times at most 1/2, and u
// each of the sum and the product.
struct HardSwishOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    const FloatVec gate = hn::MulAdd(x, hn::Set(d, 1.0F / 6), hn::Set(d, 0.5F));
    return hn::Mul(x, ClampKeepNaN(d, gate, 0.0F, 1.0F));
  }
};

// x / (1 + |x|). rel 2u.
struct SoftsignOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0F), hn::Abs(x)));
  }
};

// alpha (e^x - 1) for x < 0, else x. rel 11u, also after the factor gamma of Selu: Expm1 of Highway
// 4 ulp = 8u, two products, and gamma itself.
HWY_INLINE FloatVec EluOf(FloatTag d, FloatVec x, float alpha) {
  const FloatVec bounded = hn::Max(hn::Set(d, kExpLow), hn::Min(x, hn::Zero(d)));
  const FloatVec below = hn::Mul(hn::Set(d, alpha), hn::Expm1(d, bounded));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, x);
}

struct EluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return EluOf(d, x, p.a);
  }
};

// max(x, 0) + min(a (e^(x/a) - 1), 0). rel 11u + |x / a| 2u: as Elu, and the rounded quotient
// changes the argument of the exponential.
struct CeluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    const FloatVec a = hn::Set(d, p.a);
    const FloatVec t = hn::Min(hn::Set(d, kExpHigh), hn::Max(hn::Set(d, kExpLow), hn::Div(x, a)));
    const FloatVec curve = hn::Mul(a, hn::Expm1(d, t));
    const FloatVec zero = hn::Zero(d);
    const FloatVec y = hn::Add(hn::IfThenZeroElse(hn::Lt(x, zero), x),
                               hn::IfThenElseZero(hn::Lt(curve, zero), curve));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

// x + bias below -lambd, else x - bias above lambd, else 0. With a negative lambd both conditions
// may hold; the first wins. rel u of the sum.
struct ShrinkOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    const FloatVec bias = hn::Set(d, p.b);
    const FloatVec high = hn::IfThenElseZero(hn::Gt(x, hn::Set(d, p.a)), hn::Sub(x, bias));
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, -p.a)), hn::Add(x, bias), high);
  }
};

struct ThresholdedReluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Set(d, p.a)), x);
  }
};

struct SeluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    return hn::Mul(hn::Set(d, p.b), EluOf(d, x, p.a));
  }
};

// 1/x.
HWY_INLINE FloatVec ReciprocalPrecise(FloatTag d, FloatVec x) {
  return hn::Div(hn::Set(d, 1.0F), x);
}

// ln(x). rel 8u: Highway's Log has 4 ulp for positive finite x. The rest follows IEEE 754: ln(+-0)
// = -inf, ln(+inf) = inf, NaN for negative x.
HWY_INLINE FloatVec LogOf(FloatTag d, FloatVec x) {
  const float infinity = std::numeric_limits<float>::infinity();
  const FloatVec zero = hn::Zero(d);
  FloatVec y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -infinity), y);
  y = hn::IfThenElse(hn::Eq(x, hn::Set(d, infinity)), x, y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|). rel 7u: at most 2u of exp, to which ln(1 + e) is less
// sensitive; 4u = 2 ulp of Highway's Log1p; u of the sum.
HWY_INLINE FloatVec SoftplusOf(FloatTag d, FloatVec x) {
  const FloatVec tail = hn::Log1p(d, ExpPrecise(d, hn::Neg(hn::Abs(x))));
  return hn::Add(hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x), tail);
}

// x tanh(softplus(x)) = x n / (n + 2), n = w (w + 2), w = e^x. rel 12u: 2u of w; 6u of n, which
// weighs at most 1 in the quotient; three more roundings. Beyond 20 the factor is 1 within 2^-57.
// If n is subnormal (x < -87), the error is |x| 2^-149.
HWY_INLINE FloatVec MishOf(FloatTag d, FloatVec x) {
  const FloatVec w = ExpPrecise(d, ClampKeepNaN(d, x, kExpLow, 20.0F));
  const FloatVec two = hn::Set(d, 2.0F);
  const FloatVec n = hn::Mul(w, hn::Add(w, two));
  return hn::Mul(x, hn::Div(n, hn::Add(n, two)));
}

// x / (1 + e^-ax). rel (4 + |a x|) u: 2u of e^-ax, which weighs less than 1; |a x| u of it by the
// rounded product a x (0 if a = 1); u each of the sum and the quotient. If e^-ax overflows (a x <
// -88.7), the result is 0 with an error of |x| 2^-126.
struct SwishPrecise {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    const FloatVec e = ExpPrecise(d, hn::Mul(x, hn::Set(d, -p.a)));
    return hn::Div(x, hn::Add(hn::Set(d, 1.0F), e));
  }
};

// Same function as SwishPrecise. rel 1.6e-4 + |a x| u: ExpFast 9e-5, ReciprocalFast 6.2e-5, two
// roundings. If the reciprocal is subnormal, the error is |x| 2^-126.
struct SwishFast {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams& p) const {
    const FloatVec e = ExpFast(d, hn::Mul(x, hn::Set(d, -p.a)));
    return hn::Mul(x, ReciprocalFast(d, hn::Add(hn::Set(d, 1.0F), e)));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_UNARY_UNARY_OPS_INL_H_
