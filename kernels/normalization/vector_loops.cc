// Vector loops of the normalisations.
#include "kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalization/vector_loops.cc"
// clang-format off: the order matters.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include <algorithm>
#include <cmath>

#include "kernels/normalization/normalization.h"
#include "kernels/vector_count-inl.h"
#include "kernels/vector_sum-inl.h"

HWY_BEFORE_NAMESPACE();

namespace halftone {
namespace HWY_NAMESPACE {

// The mean as high + low, so that x - mean keeps its digits, and 1 / sqrt(variance + epsilon).
struct Statistics {
  float mean_high = 0;
  float mean_low = 0;
  float inverse = 0;
};

HWY_INLINE FloatVec Centered(FloatTag d, FloatVec x, const Statistics& s) {
  return hn::Sub(hn::Sub(x, hn::Set(d, s.mean_high)), hn::Set(d, s.mean_low));
}

template <typename T>
HWY_INLINE Statistics TwoPasses(FloatTag d, const NormalizedRow& row) {
  const T* x = static_cast<const T*>(row.x);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  PreciseSum sum;
  for (std::int64_t i = 0; i < row.length; i += lanes) {
    sum.Add(d, LoadCount(d, x + i, std::min(lanes, row.length - i)));
  }
  const double mean = sum.Total(d) / static_cast<double>(row.length);
  Statistics s;
  s.mean_high = static_cast<float>(mean);
  s.mean_low = static_cast<float>(mean - s.mean_high);
  PreciseSum squares;
  for (std::int64_t i = 0; i < row.length; i += lanes) {
    const std::int64_t count = std::min(lanes, row.length - i);
    FloatVec centered = Centered(d, LoadCount(d, x + i, count), s);
    if (count < lanes) {
      centered = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), centered);
    }
    squares.Add(d, hn::Mul(centered, centered));
  }
  const double variance = squares.Total(d) / static_cast<double>(row.length);
  s.inverse = static_cast<float>(1 / std::sqrt(variance + static_cast<double>(row.epsilon)));
  return s;
}

template <typename T>
HWY_INLINE Statistics OnePass(FloatTag d, const NormalizedRow& row) {
  const T* x = static_cast<const T*>(row.x);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  FastSum sum0;
  FastSum sum1;
  FloatVec squares0 = hn::Zero(d);
  FloatVec squares1 = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= row.length; i += 2 * lanes) {
    const FloatVec x0 = LoadFloats(d, x + i);
    const FloatVec x1 = LoadFloats(d, x + i + lanes);
    sum0.Add(d, x0);
    sum1.Add(d, x1);
    squares0 = hn::MulAdd(x0, x0, squares0);
    squares1 = hn::MulAdd(x1, x1, squares1);
  }
  for (; i < row.length; i += lanes) {
    const FloatVec x0 = LoadCount(d, x + i, std::min(lanes, row.length - i));
    sum0.Add(d, x0);
    squares0 = hn::MulAdd(x0, x0, squares0);
  }
  const auto n = static_cast<float>(row.length);
  const float mean = static_cast<float>(sum0.Total(d) + sum1.Total(d)) / n;
  const float square = hn::GetLane(hn::SumOfLanes(d, hn::Add(squares0, squares1))) / n;
  const float variance = std::max(0.0F, square - mean * mean);
  return {mean, 0, 1 / std::sqrt(variance + row.epsilon)};
}

template <typename T, bool kPrecise>
void Normalize(const NormalizedRow& row) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Statistics s = kPrecise ? TwoPasses<T>(d, row) : OnePass<T>(d, row);
  const T* x = static_cast<const T*>(row.x);
  const T* scale = static_cast<const T*>(row.scale);
  const T* bias = static_cast<const T*>(row.bias);
  T* y = static_cast<T*>(row.y);
  const FloatVec inverse = hn::Set(d, s.inverse);
  for (std::int64_t i = 0; i < row.length; i += lanes) {
    const std::int64_t count = std::min(lanes, row.length - i);
    const FloatVec value = LoadCount(d, x + i, count);
    const FloatVec centered =
        kPrecise ? Centered(d, value, s) : hn::Sub(value, hn::Set(d, s.mean_high));
    const FloatVec factor =
        scale != nullptr ? LoadCount(d, scale + i, count) : hn::Set(d, row.scale_value);
    const FloatVec term =
        bias != nullptr ? LoadCount(d, bias + i, count) : hn::Set(d, row.bias_value);
    StoreCount(d, hn::MulAdd(hn::Mul(centered, inverse), factor, term), y + i, count);
  }
}

template <typename T, typename Sum>
HWY_INLINE double SumOfSquares(FloatTag d, const NormalizedRow& row) {
  const T* x = static_cast<const T*>(row.x);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Sum sum0;
  Sum sum1;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= row.length; i += 2 * lanes) {
    const FloatVec x0 = LoadFloats(d, x + i);
    const FloatVec x1 = LoadFloats(d, x + i + lanes);
    sum0.Add(d, hn::Mul(x0, x0));
    sum1.Add(d, hn::Mul(x1, x1));
  }
  for (; i < row.length; i += lanes) {
    const FloatVec x0 = LoadCount(d, x + i, std::min(lanes, row.length - i));
    sum0.Add(d, hn::Mul(x0, x0));
  }
  return sum0.Total(d) + sum1.Total(d);
}

template <typename T, bool kPrecise>
HWY_INLINE float InverseRootMeanSquare(FloatTag d, const NormalizedRow& row) {
  const auto n = static_cast<double>(row.length);
  if constexpr (kPrecise) {
    const double square = SumOfSquares<T, PreciseSum>(d, row) / n;
    return static_cast<float>(1 / std::sqrt(square + static_cast<double>(row.epsilon)));
  }
  const auto square = static_cast<float>(SumOfSquares<T, FastSum>(d, row) / n);
  return 1 / std::sqrt(square + row.epsilon);
}

template <typename T, bool kPrecise>
void NormalizeByRms(const NormalizedRow& row) {
  const FloatTag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const FloatVec inverse = hn::Set(d, InverseRootMeanSquare<T, kPrecise>(d, row));
  const T* x = static_cast<const T*>(row.x);
  const T* scale = static_cast<const T*>(row.scale);
  T* y = static_cast<T*>(row.y);
  for (std::int64_t i = 0; i < row.length; i += lanes) {
    const std::int64_t count = std::min(lanes, row.length - i);
    const FloatVec value = hn::Mul(LoadCount(d, x + i, count), inverse);
    StoreCount(d, hn::Mul(value, LoadCount(d, scale + i, count)), y + i, count);
  }
}

template <bool kPrecise>
NormalizeRow RowOf(DType dtype) {
  return dtype == DType::kFloat32   ? Normalize<float, kPrecise>
         : dtype == DType::kFloat16 ? Normalize<Float16, kPrecise>
                                    : Normalize<BFloat16, kPrecise>;
}

NormalizeRow FindRow(DType dtype, ImplMode mode) {
  return mode == ImplMode::kHighPerformance ? RowOf<false>(dtype) : RowOf<true>(dtype);
}

template <bool kPrecise>
NormalizeRow RmsRowOf(DType dtype) {
  return dtype == DType::kFloat32   ? NormalizeByRms<float, kPrecise>
         : dtype == DType::kFloat16 ? NormalizeByRms<Float16, kPrecise>
                                    : NormalizeByRms<BFloat16, kPrecise>;
}

NormalizeRow FindRms(DType dtype, ImplMode mode) {
  return mode == ImplMode::kHighPerformance ? RmsRowOf<false>(dtype) : RmsRowOf<true>(dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace halftone

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halftone {

HWY_EXPORT(FindRow);
HWY_EXPORT(FindRms);

NormalizeRow FindNormalizeRow(DType dtype, ImplMode mode) {
  return HWY_DYNAMIC_DISPATCH(FindRow)(dtype, mode);
}

NormalizeRow FindRmsRow(DType dtype, ImplMode mode) {
  return HWY_DYNAMIC_DISPATCH(FindRms)(dtype, mode);
}

}  // namespace halftone
#endif  // HWY_ONCE
