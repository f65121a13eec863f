#include "src/quantization/glow_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/quantization/kl_divergence.h"
#include "src/quantization/rescale_histogram.h"

namespace halftone {
namespace {

struct Integers {
  DType type;
  std::int64_t low;
  std::int64_t high;
};

constexpr Integers kIntegers[] = {
    {DType::kInt8, -128, 127},
    {DType::kUInt8, 0, 255},
    {DType::kInt16, -32768, 32767},
    // INT_MIN >> 2 and INT_MAX >> 2.
    {DType::kInt32, -(std::int64_t{1} << 29), (std::int64_t{1} << 29) - 1},
};

const Integers& IntegersOf(DType type) {
  const auto* row = std::find_if(std::begin(kIntegers), std::end(kIntegers),
                                 [&](const Integers& integers) { return integers.type == type; });
  Check(row != std::end(kIntegers), "Glow quantises to int8, uint8, int16 and int32");
  return *row;
}

struct FloatRange {
  float min;
  float max;
};

FloatRange ExtendedToZero(FloatRange range) {
  return {std::min(range.min, 0.0F), std::max(range.max, 0.0F)};
}

// The end that uses up its integers later moves outwards, so that 0 stands for 0. For unsigned
// integers min / 0 is -inf or NaN, as in Glow, and min becomes 0.
FloatRange MadeSymmetric(FloatRange range, const Integers& integers) {
  const double low_step = range.min / static_cast<double>(integers.low);
  const double high_step = range.max / static_cast<double>(integers.high);
  if (low_step > high_step) {
    range.max = static_cast<float>(low_step * static_cast<double>(integers.high));
  } else {
    range.min = static_cast<float>(high_step * static_cast<double>(integers.low));
  }
  constexpr float kLargest = std::numeric_limits<float>::max();
  return {std::max(range.min, -kLargest), std::min(range.max, kLargest)};
}

FloatRange Calibrated(FloatRange range, const GlowHistogram& profile, bool symmetric) {
  constexpr std::size_t kNeeded = 255;  // GlowKlRange() changes nothing with fewer
  const std::size_t bins = profile.counts.size();
  if (bins < kNeeded || !HasFloat32Bins({profile.min, profile.max}, bins) ||
      !HasFloat32Bins({range.min, range.max}, bins)) {
    return range;
  }
  const std::vector<float> counts =
      RescaledHistogram<float>(profile.counts, profile.min, profile.max, range.min, range.max);
  const ValueRange narrowed = GlowKlRange(counts, {range.min, range.max}, symmetric);
  return {static_cast<float>(narrowed.low), static_cast<float>(narrowed.high)};
}

std::int32_t OffsetOf(FloatRange range, double scale, const Integers& integers) {
  const auto low = static_cast<double>(integers.low);
  const auto high = static_cast<double>(integers.high);
  // The end with the smaller terms gives the smaller rounding error.
  const double from_min = low - range.min / scale;
  const double from_max = high - range.max / scale;
  const double min_error = std::abs(low) + std::abs(range.min / scale);
  const double max_error = std::abs(high) + std::abs(range.max / scale);
  double offset = min_error < max_error ? from_min : from_max;
  if (std::abs(range.max + range.min) <= std::numeric_limits<float>::epsilon()) {
    offset = 0;
  }
  return static_cast<std::int32_t>(std::round(std::clamp(offset, low, high)));
}

}  // namespace

QuantizationSchema ParseQuantizationSchema(std::string_view name) {
  const auto schema = ValueIn(kQuantizationSchemas, name);
  if (!schema) {
    throw Error(ErrorKind::kUsage,
                fmt::format("unknown quantization schema '{}': expected one of {}", Shown(name),
                            NamesIn(kQuantizationSchemas)));
  }
  return *schema;
}

TensorStatistics StatisticsOfProfile(const GlowHistogram& profile) {
  const ValueRange observed{profile.min, profile.max};
  TensorHistogram histogram(observed, profile.counts.size());
  std::transform(profile.counts.begin(), profile.counts.end(), histogram.counts.begin(),
                 [](float count) { return static_cast<std::uint64_t>(count); });
  return {observed, observed, std::move(histogram)};
}

ScaleAndZero GlowScale(float min, float max, QuantizationSchema schema, DType type,
                       const GlowHistogram* calibrate) {
  Check(std::isfinite(min) && std::isfinite(max) && min <= max,
        "a range is finite, and its lower end comes first");
  const Integers& integers = IntegersOf(type);
  FloatRange range = ExtendedToZero({min, max});
  const bool symmetric = schema == QuantizationSchema::kSymmetric ||
                         schema == QuantizationSchema::kSymmetricWithPower2Scale ||
                         (schema == QuantizationSchema::kSymmetricWithUint8 && range.min < 0);
  if (symmetric) {
    range = MadeSymmetric(range, integers);
  }
  if (calibrate != nullptr) {
    range = ExtendedToZero(Calibrated(range, *calibrate, symmetric));
  }
  double scale = (static_cast<double>(range.max) - range.min) /
                 static_cast<double>(integers.high - integers.low);
  if (scale == 0) {
    scale = 0.1;
  }
  const std::int32_t offset = OffsetOf(range, scale, integers);
  if (schema == QuantizationSchema::kSymmetricWithPower2Scale) {
    scale = std::exp2(std::ceil(std::log2(scale)));
  }
  return {static_cast<float>(scale), offset};
}

GlowBiasScales GlowBiasScalesOf(float own_bias_scale, float input_scale, float weights_scale) {
  const float of_sums = input_scale * weights_scale;
  return of_sums >= own_bias_scale ? GlowBiasScales{of_sums, weights_scale}
                                   : GlowBiasScales{own_bias_scale, own_bias_scale / input_scale};
}

}  // namespace halftone
