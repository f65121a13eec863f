// Vector loops of the reductions, one functor and one row per operator.
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
#include "kernels/vector_extremes-inl.h"
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

enum class SumEnd { kNone, kMean, kRoot, kLog };

template <typename Sum, typename Map, SumEnd kEnd>
struct SumOp {
  static constexpr float kNeutral = 0;

  HWY_INLINE SumOp() = default;

  HWY_INLINE void Take(FloatTag d, FloatVec x) { sum.Add(d, Map::Of(x)); }

  HWY_INLINE double Total(FloatTag d) const { return sum.Total(d); }

  HWY_INLINE FloatVec Lanes(FloatTag d) const { return sum.Lanes(d); }

  static HWY_INLINE double TotalOf(FloatTag d, const SumOp (&parts)[4]) {
    return (parts[0].Total(d) + parts[1].Total(d)) + (parts[2].Total(d) + parts[3].Total(d));
  }

  static double Finished(double total, std::int64_t length) {
    return kEnd == SumEnd::kMean   ? total / static_cast<double>(length)
           : kEnd == SumEnd::kRoot ? std::sqrt(total)
           : kEnd == SumEnd::kLog  ? std::log(total)
                                   : total;
  }

  Sum sum;
};

// The last NaN of a lane is kept beside its best: vectors of x86 lose it, and asking for it is
// done while the comparison waits for the one before.
template <bool kMax>
struct ExtremeOp {
  static constexpr float kNeutral =
      kMax ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();

  HWY_INLINE ExtremeOp() : best(hn::Set(FloatTag(), kNeutral)), nan(hn::Zero(FloatTag())) {}

  HWY_INLINE void Take(FloatTag, FloatVec x) {
    best = Better(best, x);
    nan = hn::IfThenElse(hn::IsNaN(x), x, nan);
  }

  HWY_INLINE FloatVec Lanes(FloatTag) const { return hn::IfThenElse(hn::IsNaN(nan), nan, best); }

  HWY_INLINE double Total(FloatTag d) const {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(nan)))) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return ExtremeLane<kMax>(d, best);
  }

  static HWY_INLINE double TotalOf(FloatTag d, const ExtremeOp (&parts)[4]) {
    ExtremeOp all;
    all.best = Better(Better(parts[0].best, parts[1].best), Better(parts[2].best, parts[3].best));
    all.nan = hn::Zero(d);
    for (const ExtremeOp& part : parts) {
      all.nan = hn::IfThenElse(hn::IsNaN(part.nan), part.nan, all.nan);
    }
    return all.Total(d);
  }

  static double Finished(double total, std::int64_t) { return total; }

  static HWY_INLINE FloatVec Better(FloatVec a, FloatVec b) {
    return kMax ? hn::Max(a, b) : hn::Min(a, b);
  }

  FloatVec best;
  FloatVec nan;
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

// A row of many vectors, in four parts that do not wait for each other.
template <typename T, typename Op>
double ReduceLongRow(const T* x, std::int64_t length) {
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
    parts[0].Take(d, LoadCountOr(d, x + i, length - i, Op::kNeutral));
  }
  return Op::Finished(Op::TotalOf(d, parts), length);
}

// kRows rows side by side: a short one alone waits for its vectors and lanes one after the other.
template <int kRows, typename T, typename Op>
HWY_INLINE void ReduceShortRows(const T* x, T* y, std::int64_t length) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Op rows[kRows];
  std::int64_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    for (int r = 0; r < kRows; ++r) {
      rows[r].Take(d, LoadFloats(d, x + r * length + i));
    }
  }
  if (i < length) {
    for (int r = 0; r < kRows; ++r) {
      rows[r].Take(d, LoadCountOr(d, x + r * length + i, length - i, Op::kNeutral));
    }
  }
  for (int r = 0; r < kRows; ++r) {
    y[r] = Stored<T>(Op::Finished(rows[r].Total(d), length));
  }
}

template <typename T, typename Op>
void ReduceRows(const T* x, T* y, std::int64_t length, std::int64_t count) {
  constexpr std::int64_t kShort = 256;  // elements
  constexpr int kRows = 4;
  std::int64_t row = 0;
  if (length > kShort) {
    for (; row < count; ++row) {
      y[row] = Stored<T>(ReduceLongRow<T, Op>(x + row * length, length));
    }
  }
  for (; row + kRows <= count; row += kRows) {
    ReduceShortRows<kRows, T, Op>(x + row * length, y + row, length);
  }
  for (; row < count; ++row) {
    ReduceShortRows<1, T, Op>(x + row * length, y + row, length);
  }
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
void Loop(const void* from, void* to, const ReduceTile& tile) {
  const FloatTag d;
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (tile.inner == 1) {
    return ReduceRows<T, Op>(x, y, tile.length, tile.count);
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int kWide = 4;  // a cache line each in float32: rows may be pages apart
  std::int64_t column = 0;
  for (; column + kWide * lanes <= tile.count; column += kWide * lanes) {
    ReduceColumns<kWide, T, Op>(x + column, y + column, tile.length, tile.inner, kWide * lanes);
  }
  for (; column < tile.count; column += lanes) {
    ReduceColumns<1, T, Op>(x + column, y + column, tile.length, tile.inner,
                            std::min(lanes, tile.count - column));
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
      return LoopOf<SumOp<Sum, Identity, SumEnd::kNone>>(dtype);
    case OpKind::kReduceMean:
      return LoopOf<SumOp<Sum, Identity, SumEnd::kMean>>(dtype);
    case OpKind::kReduceL1:
      return LoopOf<SumOp<Sum, Magnitude, SumEnd::kNone>>(dtype);
    case OpKind::kReduceL2:
      return LoopOf<SumOp<Sum, Square, SumEnd::kRoot>>(dtype);
    case OpKind::kReduceSumSquare:
      return LoopOf<SumOp<Sum, Square, SumEnd::kNone>>(dtype);
    case OpKind::kReduceLogSum:
      return LoopOf<SumOp<Sum, Identity, SumEnd::kLog>>(dtype);
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
