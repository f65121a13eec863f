// Glow's quantisation schemas (lib/Quantization/Base/Base.cpp), which Cloud AI's compiler inherits:
// scale and offset of a range, as --quantization-schema chooses them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/ir/dtype.h"
#include "src/quantization/quantization.h"
#include "src/quantization/schemes.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

enum class QuantizationSchema : std::uint8_t {
  kAsymmetric,
  kSymmetric,
  kSymmetricWithUint8,
  kSymmetricWithPower2Scale,
};

inline constexpr EnumRow<QuantizationSchema> kQuantizationSchemas[] = {
    {QuantizationSchema::kAsymmetric, "asymmetric", "the range as it is, with an offset"},
    {QuantizationSchema::kSymmetric, "symmetric", "the range made symmetric, offset 0"},
    {QuantizationSchema::kSymmetricWithUint8, "symmetric_with_uint8",
     "symmetric, but from 0 where no value is below 0"},
    {QuantizationSchema::kSymmetricWithPower2Scale, "symmetric_with_power2_scale",
     "symmetric, with the scale raised to a power of 2"},
};

// Throws Error{kUsage} that lists the names.
QuantizationSchema ParseQuantizationSchema(std::string_view name);

// The profile of a tensor, as KLMinimization reads it: counts in equal bins from min to max.
struct GlowHistogram {
  float min = 0;
  float max = 0;
  std::vector<float> counts;
};

// Input of calibration methods made from a profile, whose counts are at least 0 and below 2^64:
// counts rounded down, no zeros known, one sample.
TensorStatistics StatisticsOfProfile(const GlowHistogram& profile);

// Scale and offset of the values min to max, finite, min <= max, in `type`: int8, uint8, int16, or
// int32, which Glow uses 30 bits of. A scale of 0 becomes 0.1. With a profile of 255 bins or more
// that is not empty, the range is first narrowed by GlowKlRange() (kl_divergence.h) on the profile,
// and then, unlike in Glow, 0 is added again.
ScaleAndZero GlowScale(float min, float max, QuantizationSchema schema, DType type,
                       const GlowHistogram* calibrate = nullptr);

// Scales of an int32 bias (offset 0) and of the weights beside it.
struct GlowBiasScales {
  float bias = 1;
  float weights = 1;
};

// Glow's rule: the bias has the scale of the sums, input * weights. If its own scale, with which it
// fits into 30 bits, is larger, the bias has that, and the weights' scale grows to bias / input.
// All scales are above 0.
GlowBiasScales GlowBiasScalesOf(float own_bias_scale, float input_scale, float weights_scale);

}  // namespace halftone
