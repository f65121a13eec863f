// Vector loops of ReduceLogSumExp: max + ln(sum e^(x - max)), so that nothing overflows.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/log_sum_exp_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/reduce/reduce.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_extremes-inl.h"
#include "kernels/vector_math-inl.h"
#include "kernels/vector_sum-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {
namespace {

struct Precise {
  using Sum = PreciseSum;

  static HWY_INLINE FloatVec Exp(FloatTag d, FloatVec x) { return ExpPrecise(d, x); }
};

struct Fast {
  using Sum = FastSum;

  static HWY_INLINE FloatVec Exp(FloatTag d, FloatVec x) { return ExpFast(d, x); }
};

inline constexpr float kLowest = -std::numeric_limits<float>::infinity();

// NaN from either side.
HWY_INLINE FloatVec Larger(FloatVec most, FloatVec x) {
  const auto keeps = hn::Or(hn::IsNaN(most), hn::Gt(most, x));
  return hn::IfThenElse(keeps, most, x);
}

// Subtrahend of the exponents: 0 for an infinite maximum, whose sum is then 0 or infinite.
HWY_INLINE FloatVec Shift(FloatTag d, FloatVec most) {
  return hn::IfThenElse(hn::IsInf(most), hn::Zero(d), most);
}

template <typename T>
T Stored(float most, double sum) {
  const double shift = std::isinf(most) ? 0.0 : static_cast<double>(most);
  const double value = shift + std::log(sum);
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else {
    return T::FromDouble(value);
  }
}

template <typename T, typename Math>
T RowOf(const T* x, std::int64_t length) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FloatVec most[2] = {hn::Set(d, kLowest), hn::Set(d, kLowest)};
  std::int64_t i = 0;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    most[0] = Larger(most[0], LoadFloats(d, x + i));
    most[1] = Larger(most[1], LoadFloats(d, x + i + lanes));
  }
  for (; i < length; i += lanes) {
    most[0] = Larger(most[0], LoadCountOr(d, x + i, length - i, kLowest));
  }
  const FloatVec joined = Larger(most[0], most[1]);
  const float maximum = hn::AllFalse(d, hn::IsNaN(joined))
                            ? ExtremeLane<true>(d, joined)
                            : std::numeric_limits<float>::quiet_NaN();
  const FloatVec shift = Shift(d, hn::Set(d, maximum));
  typename Math::Sum sum;
  for (i = 0; i < length; i += lanes) {
    const FloatVec values = LoadCountOr(d, x + i, length - i, kLowest);
    sum.Add(d, Math::Exp(d, hn::Sub(values, shift)));
  }
  return Stored<T>(maximum, sum.Total(d));
}

// One result a lane.
template <typename T, typename Math>
HWY_INLINE void Columns(const T* x, T* y, std::int64_t length, std::int64_t inner,
                        std::int64_t count) {
  const FloatTag d;
  FloatVec most = hn::Set(d, kLowest);
  for (std::int64_t k = 0; k < length; ++k) {
    most = Larger(most, LoadCount(d, x + k * inner, count));
  }
  const FloatVec shift = Shift(d, most);
  typename Math::Sum sums;
  for (std::int64_t k = 0; k < length; ++k) {
    sums.Add(d, Math::Exp(d, hn::Sub(LoadCount(d, x + k * inner, count), shift)));
  }
  HWY_ALIGN float maxima[kMaxLanes];
  HWY_ALIGN float totals[kMaxLanes];
  hn::Store(most, d, maxima);
  hn::Store(sums.Lanes(d), d, totals);
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = Stored<T>(maxima[i], static_cast<double>(totals[i]));
  }
}

template <typename T, typename Math>
void LoopOver(const void* from, void* to, const ReduceTile& tile) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (tile.inner == 1) {
    for (std::int64_t row = 0; row < tile.count; ++row) {
      y[row] = RowOf<T, Math>(x + row * tile.length, tile.length);
    }
    return;
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  for (std::int64_t column = 0; column < tile.count; column += lanes) {
    Columns<T, Math>(x + column, y + column, tile.length, tile.inner,
                     std::min(lanes, tile.count - column));
  }
}

template <typename Math>
ReduceLoop LoopOfMode(DType dtype) {
  return dtype == DType::kFloat32
             ? LoopOver<float, Math>
             : (dtype == DType::kFloat16 ? LoopOver<Float16, Math> : LoopOver<BFloat16, Math>);
}

ReduceLoop FindExpLoop(DType dtype, ImplMode mode) {
  return mode == ImplMode::kHighPerformance ? LoopOfMode<Fast>(dtype) : LoopOfMode<Precise>(dtype);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {
namespace {

HWY_EXPORT(FindExpLoop);

}  // namespace

ReduceLoop FindLogSumExpLoop(OpKind, DType dtype, ImplMode mode) {
  return HWY_DYNAMIC_DISPATCH(FindExpLoop)(dtype, mode);
}

}  // namespace halftone
#endif  // HWY_ONCE
