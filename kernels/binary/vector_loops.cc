// The vector loops of binary arithmetic, one functor and one row an operator.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/binary/binary.h"
#include "kernels/binary/operand_loop-inl.h"

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

struct LoopRow {
  OpKind op;
  BinaryLoop f32;
  BinaryLoop f16;
  BinaryLoop bf16;
};

template <typename Op>
constexpr LoopRow Row(OpKind op) {
  return {op, Loop<float, Op>, Loop<Float16, Op>, Loop<BFloat16, Op>};
}

BinaryLoop FindLoop(OpKind op, DType dtype) {
  static constexpr LoopRow kRows[] = {
      Row<AddOp>(OpKind::kAdd),     Row<SubOp>(OpKind::kSub),        Row<MulOp>(OpKind::kMul),
      Row<DivOp>(OpKind::kDiv),     Row<MaxOp>(OpKind::kMax),        Row<MinOp>(OpKind::kMin),
      Row<PReluOp>(OpKind::kPRelu), Row<SmallPowerOp>(OpKind::kPow),
  };
  for (const LoopRow& row : kRows) {
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
