// Glow's quantisation schemas (lib/Quantization/Base/Base.cpp), which the compiler of Cloud AI
// inherits. A schema, chosen by --quantization-schema, gives a range its scale and offset.
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

// Error kUsage for an unknown name; the message lists the names.
QuantizationSchema ParseQuantizationSchema(std::string_view name);

// The profile of a tensor that Glow's KLMinimization reads: counts in equal bins from min to max.
struct GlowHistogram {
  float min = 0;
  float max = 0;
  std::vector<float> counts;
};

// Statistics that calibration methods can read, made from a profile. Counts are rounded down, the
// number of zeros is unknown (0), and the profile counts as one sample. Requires counts from 0 to
// below 2^64.
TensorStatistics StatisticsOfProfile(const GlowHistogram& profile);

// Scale and offset of the range from min to max in `type`: int8, uint8, int16 or int32, of which
// Glow uses 30 bits. Requires finite min <= max. The range is extended to 0; a scale of 0 becomes
// 0.1. If `calibrate` has 255 bins or more, GlowKlRange() (kl_divergence.h) on that profile narrows
// the range; unlike in Glow, the narrowed range is extended to 0 again.
ScaleAndZero GlowScale(float min, float max, QuantizationSchema schema, DType type,
                       const GlowHistogram* calibrate = nullptr);

// Scales of an int32 bias, whose offset is 0, and of the weights of the same operator.
struct GlowBiasScales {
  float bias = 1;
  float weights = 1;
};

// Glow's rule: the bias takes the scale of the sums, input_scale * weights_scale. If
// `own_bias_scale`, the scale at which the bias fits into 30 bits, is larger, then the bias takes
// that, and the scale of the weights grows to own_bias_scale / input_scale. Requires scales above
// 0.
GlowBiasScales GlowBiasScalesOf(float own_bias_scale, float input_scale, float weights_scale);

}  // namespace halftone
