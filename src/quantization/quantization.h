// Scales and zero points of the tensors of a network: what plans with 8-bit operators compute with.
//
// A tensor in 8 bits holds integers q that stand for scale * (q - zero_point). Activations are
// uint8 with a zero point; int8 data with zero point z is the same, bit for bit, as uint8 data with
// z + 128. Constant weights are int8. A plan in 16 bits (src/ir/formats/qint16.h) has uint16 and
// int16 instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halftone/quantize.h"
#include "src/base/hash.h"

namespace halftone {

// Real numbers from `low` to `high`; of a quantised tensor it contains 0.
struct ValueRange {
  double low = 0;
  double high = 0;

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// Scale of an activation: uint8, or uint16.
struct ActivationScale {
  float scale = 1;              // above 0, finite
  std::int32_t zero_point = 0;  // 0 to 255, or 0 to 65535

  // The real numbers that 0 and 255 stand for, in uint8.
  [[nodiscard]] ValueRange range() const {
    const auto step = static_cast<double>(scale);
    return {-step * zero_point, step * (255 - zero_point)};
  }

  friend bool operator==(const ActivationScale&, const ActivationScale&) = default;
};

// Scales of constant weights, int8 or int16: one for the tensor, or one for each result channel of
// the operator that reads them (axis 0 of Conv, the column of a product).
struct WeightScales {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // parallel to `scales`; empty: all 0

  friend bool operator==(const WeightScales&, const WeightScales&) = default;
};

// Factors of the channels of an activation: the integer q of channel c stands for factors[c] *
// scale * (q - zero_point), so that channels of unlike ranges fill the same integers. Cross-layer
// equalisation and SmoothQuant choose such factors (search/calibrate/channel_factors.h).
struct ChannelFactors {
  int axis = 1;                // of the tensor as the network has it
  std::vector<float> factors;  // above 0, finite; one for each index of the axis

  friend bool operator==(const ChannelFactors&, const ChannelFactors&) = default;
};

// A regular value. Names are those of the network: of values for tensors, of nodes for operators.
struct Quantization {
  std::map<std::string, ActivationScale, std::less<>> activations;
  // Factors of some of the activations; others have the factor 1.
  std::map<std::string, ChannelFactors, std::less<>> channel_factors;
  // Given scales of weights, already times the channel factors of the other operand. Other weights
  // have the largest magnitude of the channel (or of the tensor) / 127, and 1 where that is 0.
  std::map<std::string, WeightScales, std::less<>> weights;
  bool per_channel_weights = true;
  // Numbers that bias correction adds to the result of an operator, per result channel.
  std::map<std::string, std::vector<float>, std::less<>> bias_shifts;

  // Stable hash of the content; equal quantisations, and only those, have equal digests.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// Origin of a quantisation; only shown and compared, never computed with.
struct QuantizationSource {
  std::string tool_version;                 // of halftone
  std::optional<Hash128> model;             // Model::hash; empty: unknown
  std::optional<Hash128> calibration_data;  // of the samples that the ranges were taken from
  std::string method;                       // "minmax", "auto", ...; free text
  std::int64_t samples = 0;                 // that the ranges were taken from; 0: none, or unknown

  friend bool operator==(const QuantizationSource&, const QuantizationSource&) = default;
};

}  // namespace halftone
