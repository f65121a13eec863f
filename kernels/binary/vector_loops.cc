// The vector loops of binary arithmetic, one functor and one row an operator.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "kernels/binary/binary.h"
#include "kernels/vector_storage-inl.h"

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

// An operand of a run: contiguous, or one value for all.
template <typename T, bool kScalar>
class Operand {
 public:
  HWY_INLINE Operand(FloatTag d, const void* p) : p_(static_cast<const T*>(p)) {
    if (kScalar) {
      value_ = LoadFirst(d, p_, 1, *p_);  // the fill is the value itself
    }
  }

  HWY_INLINE FloatVec At(FloatTag d, std::int64_t i) const {
    return kScalar ? value_ : LoadFloats(d, p_ + i);
  }

  HWY_INLINE FloatVec FirstAt(FloatTag d, std::int64_t i, std::size_t count) const {
    return kScalar ? value_ : LoadFirst(d, p_ + i, count);
  }

 private:
  const T* p_;
  FloatVec value_{};
};

template <typename T, typename Op, bool kScalarA, bool kScalarB>
HWY_INLINE void Run(const BinaryRun& run) {
  const FloatTag d;
  const Op op;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Operand<T, kScalarA> a(d, run.a);
  const Operand<T, kScalarB> b(d, run.b);
  T* y = static_cast<T*>(run.y);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= run.count; i += 2 * lanes) {
    const FloatVec y0 = op(d, a.At(d, i), b.At(d, i));
    const FloatVec y1 = op(d, a.At(d, i + lanes), b.At(d, i + lanes));
    StoreFloats(d, y0, y + i);
    StoreFloats(d, y1, y + i + lanes);
  }
  for (; i + lanes <= run.count; i += lanes) {
    StoreFloats(d, op(d, a.At(d, i), b.At(d, i)), y + i);
  }
  if (i < run.count) {
    const auto rest = static_cast<std::size_t>(run.count - i);
    StoreFirst(d, op(d, a.FirstAt(d, i, rest), b.FirstAt(d, i, rest)), y + i, rest);
  }
}

template <typename T, typename Op>
void Loop(const BinaryRun& run) {
  if (run.a_step == 0) {
    Run<T, Op, true, false>(run);
  } else if (run.b_step == 0) {
    Run<T, Op, false, true>(run);
  } else {
    Run<T, Op, false, false>(run);
  }
}

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
