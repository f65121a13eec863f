// The vector loops of the reductions, one functor and one row an operator.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reduce/reduce.h"
#include "kernels/vector_sum-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// A reduction: accumulators that start empty, take vectors, and give one value a lane or in all.
struct Identity {
  static HWY_INLINE FloatVec Of(FloatVec x) { return x; }
};

struct Magnitude {
  static HWY_INLINE FloatVec Of(FloatVec x) { return hn::Abs(x); }
};

struct Square {
  static HWY_INLINE FloatVec Of(FloatVec x) { return hn::Mul(x, x); }
};

enum class Finish { kNone, kMean, kRoot };

template <typename Sum, typename Map, Finish kFinish>
struct SumOp {
  static constexpr float kNeutral = 0;

  HWY_INLINE SumOp() {}

  HWY_INLINE void Take(FloatTag d, FloatVec x) { sum.Add(d, Map::Of(x)); }

  HWY_INLINE double Total(FloatTag d) const { return sum.Total(d); }

  HWY_INLINE FloatVec Lanes(FloatTag d) const { return sum.Lanes(d); }

  static double Join(double a, double b) { return a + b; }

  static double Finished(double total, std::int64_t length) {
    return kFinish == Finish::kMean   ? total / static_cast<double>(length)
           : kFinish == Finish::kRoot ? std::sqrt(total)
                                      : total;
  }

  Sum sum;
};

template <bool kMax>
struct ExtremeOp {
  static constexpr float kNeutral =
      kMax ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();

  HWY_INLINE ExtremeOp() : best(hn::Set(FloatTag(), kNeutral)) {}

  HWY_INLINE void Take(FloatTag, FloatVec x) {
    const auto keeps = kMax ? hn::Gt(best, x) : hn::Lt(best, x);
    best = hn::IfThenElse(hn::IsNaN(best), best, hn::IfThenElse(keeps, best, x));
  }

  HWY_INLINE FloatVec Lanes(FloatTag) const { return best; }

  HWY_INLINE double Total(FloatTag d) const {
    HWY_ALIGN float lanes[kMaxLanes];
    hn::Store(best, d, lanes);
    double total = kNeutral;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      total = Join(total, lanes[i]);
    }
    return total;
  }

  static double Join(double a, double b) {
    const bool keeps = kMax ? a > b : a < b;
    return std::isnan(a) || keeps ? a : b;
  }

  static double Finished(double total, std::int64_t) { return total; }

  FloatVec best;
};

struct ProdOp {
  static constexpr float kNeutral = 1;

  HWY_INLINE ProdOp() : product(hn::Set(FloatTag(), 1.0F)) {}

  HWY_INLINE void Take(FloatTag, FloatVec x) { product = hn::Mul(product, x); }

  HWY_INLINE FloatVec Lanes(FloatTag) const { return product; }

  HWY_INLINE double Total(FloatTag d) const {
    HWY_ALIGN float lanes[kMaxLanes];
    hn::Store(product, d, lanes);
    double total = 1;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      total *= lanes[i];
    }
    return total;
  }

  static double Join(double a, double b) { return a * b; }

  static double Finished(double total, std::int64_t) { return total; }

  FloatVec product;
};

template <typename T>
T Stored(double value) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else {
    return T::FromDouble(value);
  }
}

template <typename T, typename Op>
double ReduceRow(const T* x, std::int64_t length) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Op part0;
  Op part1;
  Op part2;
  Op part3;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    part0.Take(d, LoadFloats(d, x + i));
    part1.Take(d, LoadFloats(d, x + i + lanes));
    part2.Take(d, LoadFloats(d, x + i + 2 * lanes));
    part3.Take(d, LoadFloats(d, x + i + 3 * lanes));
  }
  for (; i < length; i += lanes) {
    const auto count = static_cast<std::size_t>(std::min(lanes, length - i));
    const FloatVec neutral = hn::Set(d, Op::kNeutral);
    const FloatVec loaded =
        count == hn::Lanes(d) ? LoadFloats(d, x + i) : LoadFirst(d, x + i, count);
    part0.Take(d, hn::IfThenElse(hn::FirstN(d, count), loaded, neutral));
  }
  return Op::Finished(
      Op::Join(Op::Join(part0.Total(d), part1.Total(d)), Op::Join(part2.Total(d), part3.Total(d))),
      length);
}

template <typename T, typename Op>
void Loop(const void* from, void* to, std::int64_t length, std::int64_t inner) {
  const FloatTag d;
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (inner == 1) {
    *y = Stored<T>(ReduceRow<T, Op>(x, length));
    return;
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t column = 0; column < inner; column += lanes) {
    const auto count = static_cast<std::size_t>(std::min(lanes, inner - column));
    Op op;
    for (std::int64_t k = 0; k < length; ++k) {
      const T* p = x + k * inner + column;
      op.Take(d, count == hn::Lanes(d) ? LoadFloats(d, p) : LoadFirst(d, p, count));
    }
    HWY_ALIGN float results[kMaxLanes];
    hn::Store(op.Lanes(d), d, results);
    for (std::size_t i = 0; i < count; ++i) {
      y[column + static_cast<std::int64_t>(i)] = Stored<T>(Op::Finished(results[i], length));
    }
  }
}

template <typename Op>
ReduceLoop LoopOf(DType dtype) {
  return dtype == DType::kFloat32
             ? Loop<float, Op>
             : (dtype == DType::kFloat16 ? Loop<Float16, Op> : Loop<BFloat16, Op>);
}

template <typename Sum>
ReduceLoop SumLoop(OpKind op, DType dtype) {
  switch (op) {
    case OpKind::kReduceSum:
      return LoopOf<SumOp<Sum, Identity, Finish::kNone>>(dtype);
    case OpKind::kReduceMean:
      return LoopOf<SumOp<Sum, Identity, Finish::kMean>>(dtype);
    case OpKind::kReduceL1:
      return LoopOf<SumOp<Sum, Magnitude, Finish::kNone>>(dtype);
    case OpKind::kReduceL2:
      return LoopOf<SumOp<Sum, Square, Finish::kRoot>>(dtype);
    case OpKind::kReduceSumSquare:
      return LoopOf<SumOp<Sum, Square, Finish::kNone>>(dtype);
    default:
      return nullptr;
  }
}

ReduceLoop FindLoop(OpKind op, DType dtype, ImplMode mode) {
  switch (op) {
    case OpKind::kReduceMax:
      return LoopOf<ExtremeOp<true>>(dtype);
    case OpKind::kReduceMin:
      return LoopOf<ExtremeOp<false>>(dtype);
    case OpKind::kReduceProd:
      return LoopOf<ProdOp>(dtype);
    default:
      return mode == ImplMode::kHighPerformance ? SumLoop<FastSum>(op, dtype)
                                                : SumLoop<PreciseSum>(op, dtype);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindLoop);

ReduceLoop FindReduceLoop(OpKind op, DType dtype, ImplMode mode) {
  return HWY_DYNAMIC_DISPATCH(FindLoop)(op, dtype, mode);
}

}  // namespace halftone
#endif  // HWY_ONCE
