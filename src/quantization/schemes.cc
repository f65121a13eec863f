#include "src/quantization/schemes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {
namespace {

constexpr double kLeastScale = std::numeric_limits<float>::min();

struct IntegerRange {
  std::int32_t low;
  std::int32_t high;
};

IntegerRange OnnxRuntimeIntegers(DType type, const OnnxRuntimeOptions& options) {
  Check(type == DType::kInt8 || type == DType::kUInt8, "quantised types are int8 and uint8");
  if (type == DType::kUInt8) {
    return {0, options.reduce_range ? 127 : 255};
  }
  return options.reduce_range ? IntegerRange{-64, 64}
         : options.symmetric  ? IntegerRange{-127, 127}
                              : IntegerRange{-128, 127};
}

void CheckRange(double low, double high) {
  Check(std::isfinite(low) && std::isfinite(high) && low <= high,
        "a range is finite, and its lower end comes first");
}

}  // namespace

ActivationScale ActivationScaleOf(ValueRange range) {
  CheckRange(range.low, range.high);
  const auto [low, high] = WithZero(range);
  const double exact = (high - low) / 255;
  if (exact < kLeastScale) {
    return {};
  }
  const auto scale = static_cast<float>(exact);
  Check(std::isfinite(scale), "the scale of a range is a float32");
  const double zero = std::rint(-low / scale);
  return {scale, static_cast<std::int32_t>(std::clamp(zero, 0.0, 255.0))};
}

ScaleAndZero OnnxRuntimeScale(float low, float high, DType type,
                              const OnnxRuntimeOptions& options) {
  CheckRange(low, high);
  const IntegerRange integers = OnnxRuntimeIntegers(type, options);
  low = std::min(low, 0.0F);
  high = std::max(high, 0.0F);
  if (options.minimum_real_range > 0) {
    high = std::max(high, low + options.minimum_real_range);
  }
  if (options.symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  const float extent = high - low;
  Check(std::isfinite(extent), "the extent of a range is a float32");
  const double scale = static_cast<double>(extent) / (integers.high - integers.low);
  if (scale < kLeastScale) {
    return {};
  }
  const double zero = options.symmetric ? (integers.low + integers.high) / 2.0
                                        : integers.low - static_cast<double>(low) / scale;
  return {static_cast<float>(scale), static_cast<std::int32_t>(std::rint(zero))};
}

AimetEncoding AimetEncodingOf(ValueRange range, int bits, AimetSymmetry symmetry) {
  CheckRange(range.low, range.high);
  Check(bits >= 2 && bits <= 16, "an encoding has 2 to 16 bits");
  auto [low, high] = WithZero(range);
  if (low == high) {
    low = -1;
    high = 1;
  }
  const double steps = std::exp2(bits) - (symmetry == AimetSymmetry::kStrictSymmetric ? 2 : 1);
  const bool asymmetric = symmetry == AimetSymmetry::kAsymmetric ||
                          (symmetry == AimetSymmetry::kUnsignedSymmetric && low >= 0);
  AimetEncoding encoding;
  if (!asymmetric) {
    const double positive_steps = std::floor(steps / 2);
    encoding.delta = std::max(high, -low) / positive_steps;
    encoding.offset = -static_cast<std::int32_t>(std::ceil(steps / 2));
    encoding.min = encoding.offset * encoding.delta;
    encoding.max = encoding.delta * positive_steps;
    return encoding;
  }
  encoding.delta = (high - low) / steps;
  const double zero = std::clamp(std::round(-low / encoding.delta), 0.0, steps);
  encoding.offset = -static_cast<std::int32_t>(zero);
  encoding.min = encoding.delta * encoding.offset;
  encoding.max = high - low + encoding.min;
  return encoding;
}

}  // namespace halftone
