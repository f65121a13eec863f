// Loop that applies a functor of two vectors to the operands of a run. Part of Highway's
// once-per-target compilation (the guard toggles); include after "hwy/highway.h".
#if defined(HALFTONE_KERNELS_BINARY_OPERAND_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFTONE_KERNELS_BINARY_OPERAND_LOOP_INL_H_
#undef HALFTONE_KERNELS_BINARY_OPERAND_LOOP_INL_H_
#else
#define HALFTONE_KERNELS_BINARY_OPERAND_LOOP_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/binary/binary.h"
#include "kernels/vector_storage-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// An operand of a run: contiguous elements, or one value for all results.
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
    StoreFloats(y0, d, y + i);
    StoreFloats(y1, d, y + i + lanes);
  }
  for (; i + lanes <= run.count; i += lanes) {
    StoreFloats(op(d, a.At(d, i), b.At(d, i)), d, y + i);
  }
  if (i < run.count) {
    const auto rest = static_cast<std::size_t>(run.count - i);
    StoreFirst(op(d, a.FirstAt(d, i, rest), b.FirstAt(d, i, rest)), d, y + i, rest);
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

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#endif  // HALFTONE_KERNELS_BINARY_OPERAND_LOOP_INL_H_
