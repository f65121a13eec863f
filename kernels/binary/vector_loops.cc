// Vector loops of binary arithmetic, one functor and one row per operator.
//
// Mod: x - trunc(x / y) y in double. This is exact while |x / y| < 2^28: a quotient of two numbers
// of 24 bits that is no integer is at least 2^-24 away from one, and its rounding error of 2^-26 is
// less. The product has 52 bits, and the difference is the remainder, a float.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <cmath>

#include "kernels/binary/binary.h"
#include "kernels/binary/operand_loop-inl.h"
#include "kernels/vector_halves-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

struct AddOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const { return hn::Add(a, b); }
};

struct SubOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const { return hn::Sub(a, b); }
};

struct MulOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const { return hn::Mul(a, b); }
};

struct DivOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const { return hn::Div(a, b); }
};

// NaN when an operand is NaN: the comparison is then false and chooses b.
struct MaxOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::Gt(a, b), a, b));
  }
};

struct MinOp {
  HWY_INLINE FloatVec operator()(FloatTag, FloatVec a, FloatVec b) const {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::Lt(a, b), a, b));
  }
};

struct PReluOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    return hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(a, b), a);
  }
};

// a^b where b is known to be 2 (correctly rounded) or 3 (two roundings in float32).
struct SmallPowerOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    const FloatVec square = hn::Mul(a, a);
    return hn::IfThenElse(hn::Eq(b, hn::Set(d, 3.0F)), hn::Mul(square, a), square);
  }
};

HWY_INLINE DoubleVec SmallRemainder(DoubleVec a, DoubleVec b) {
  return hn::Sub(a, hn::Mul(hn::Trunc(hn::Div(a, b)), b));
}

// fmod, the sign of a.
struct RemainderOp {
  static HWY_INLINE hn::Mask<FloatTag> IsSmall(FloatTag d, FloatVec a, FloatVec b) {
    const FloatVec most = hn::Mul(hn::Abs(b), hn::Set(d, 0x1p28F));
    return hn::And(hn::IsFinite(b), hn::Lt(hn::Abs(a), most));
  }

  static FloatVec WithOtherLanes(FloatTag d, FloatVec a, FloatVec b, FloatVec small) {
    HWY_ALIGN float as[kMaxLanes];
    HWY_ALIGN float bs[kMaxLanes];
    HWY_ALIGN float ys[kMaxLanes];
    hn::Store(a, d, as);
    hn::Store(b, d, bs);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      ys[i] = std::fmod(as[i], bs[i]);
    }
    return hn::IfThenElse(IsSmall(d, a, b), small, hn::Load(d, ys));
  }

  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec a, FloatVec b) const {
    const Halves x = Promoted(a);
    const Halves y = Promoted(b);
    const FloatVec remainder =
        Demoted(d, {SmallRemainder(x.low, y.low), SmallRemainder(x.high, y.high)});
    const FloatVec small = hn::CopySign(remainder, a);
    return hn::AllTrue(d, IsSmall(d, a, b)) ? small : WithOtherLanes(d, a, b, small);
  }
};

struct BinaryLoopRow {
  OpKind op;
  BinaryLoop f32;
  BinaryLoop f16;
  BinaryLoop bf16;
};

template <typename Op>
constexpr BinaryLoopRow Row(OpKind op) {
  return {op, Loop<float, Op>, Loop<Float16, Op>, Loop<BFloat16, Op>};
}

BinaryLoop FindLoop(OpKind op, DType dtype) {
  static constexpr BinaryLoopRow kRows[] = {
      Row<AddOp>(OpKind::kAdd),     Row<SubOp>(OpKind::kSub),        Row<MulOp>(OpKind::kMul),
      Row<DivOp>(OpKind::kDiv),     Row<MaxOp>(OpKind::kMax),        Row<MinOp>(OpKind::kMin),
      Row<PReluOp>(OpKind::kPRelu), Row<SmallPowerOp>(OpKind::kPow), Row<RemainderOp>(OpKind::kMod),
  };
  for (const BinaryLoopRow& row : kRows) {
    if (row.op == op) {
      return dtype == DType::kFloat32 ? row.f32 : (dtype == DType::kFloat16 ? row.f16 : row.bf16);
    }
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

BinaryLoop FindVectorBinaryLoop(OpKind op, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(op, dtype);
}

}  // namespace halftone
#endif  // HWY_ONCE
