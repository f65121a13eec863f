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
#include "kernels/vector_count-inl.h"
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

enum class Finish { kNone, kMean, kRoot, kLog };

template <typename Sum, typename Map, Finish kFinish>
struct SumOp {
  static constexpr float kNeutral = 0;

  HWY_INLINE SumOp() {}

  HWY_INLINE void Take(FloatTag d, FloatVec x) { sum.Add(d, Map::Of(x)); }

  HWY_INLINE double Total(FloatTag d) const { return sum.Total(d); }

  HWY_INLINE FloatVec Lanes(FloatTag d) const { return sum.Lanes(d); }

  static HWY_INLINE double TotalOf(FloatTag d, const SumOp (&parts)[4]) {
    return (parts[0].Total(d) + parts[1].Total(d)) + (parts[2].Total(d) + parts[3].Total(d));
  }

  static double Finished(double total, std::int64_t length) {
    return kFinish == Finish::kMean   ? total / static_cast<double>(length)
           : kFinish == Finish::kRoot ? std::sqrt(total)
           : kFinish == Finish::kLog  ? std::log(total)
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

  // Exact in any order: vectors first, one by one lane would take longer than rows of a hundred.
  static HWY_INLINE double TotalOf(FloatTag d, const ExtremeOp (&parts)[4]) {
    ExtremeOp all = parts[0];
    for (int p = 1; p < 4; ++p) {
      all.Take(d, parts[p].best);
    }
    if (!hn::AllFalse(d, hn::IsNaN(all.best))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return hn::GetLane(kMax ? hn::MaxOfLanes(d, all.best) : hn::MinOfLanes(d, all.best));
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

  static HWY_INLINE double TotalOf(FloatTag d, const ProdOp (&parts)[4]) {
    return (parts[0].Total(d) * parts[1].Total(d)) * (parts[2].Total(d) * parts[3].Total(d));
  }

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
  Op parts[4];
  std::int64_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (int p = 0; p < 4; ++p) {
      parts[p].Take(d, LoadFloats(d, x + i + p * lanes));
    }
  }
  for (; i < length; i += lanes) {
    const auto count = static_cast<std::size_t>(std::min(lanes, length - i));
    const FloatVec neutral = hn::Set(d, Op::kNeutral);
    const FloatVec loaded =
        count == hn::Lanes(d) ? LoadFloats(d, x + i) : LoadFirst(d, x + i, count);
    parts[0].Take(d, hn::IfThenElse(hn::FirstN(d, count), loaded, neutral));
  }
  return Op::Finished(Op::TotalOf(d, parts), length);
}

// Columns [0, count) of kWide vectors, the last of which may be there in part.
template <int kWide, typename T, typename Op>
HWY_INLINE void ReduceColumns(const T* x, T* y, std::int64_t length, std::int64_t inner,
                              std::int64_t count) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t rest = count - (kWide - 1) * lanes;
  Op ops[kWide];
  for (std::int64_t k = 0; k < length; ++k) {
    const T* p = x + k * inner;
    for (int v = 0; v + 1 < kWide; ++v) {
      ops[v].Take(d, LoadFloats(d, p + v * lanes));
    }
    ops[kWide - 1].Take(d, LoadCount(d, p + (kWide - 1) * lanes, rest));
  }
  HWY_ALIGN float results[kWide * kMaxLanes];
  for (int v = 0; v < kWide; ++v) {
    hn::StoreU(ops[v].Lanes(d), d, results + v * lanes);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = Stored<T>(Op::Finished(results[i], length));
  }
}

template <typename T, typename Op>
void Loop(const void* from, void* to, std::int64_t length, std::int64_t inner,
          std::int64_t columns) {
  const FloatTag d;
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (inner == 1) {
    *y = Stored<T>(ReduceRow<T, Op>(x, length));
    return;
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int kWide = 4;  // a cache line each in float32: rows may be pages apart
  std::int64_t column = 0;
  for (; column + kWide * lanes <= columns; column += kWide * lanes) {
    ReduceColumns<kWide, T, Op>(x + column, y + column, length, inner, kWide * lanes);
  }
  for (; column < columns; column += lanes) {
    ReduceColumns<1, T, Op>(x + column, y + column, length, inner,
                            std::min(lanes, columns - column));
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
    case OpKind::kReduceLogSum:
      return LoopOf<SumOp<Sum, Identity, Finish::kLog>>(dtype);
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
