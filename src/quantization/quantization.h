// Scales and zero points of the tensors of a network, for plans with 8-bit operators.
//
// A tensor in 8 bits holds integers q that stand for scale * (q - zero_point). Activations are
// uint8 with a zero point; int8 with zero point z gives the same real numbers, bit for bit, as
// uint8 with zero point z + 128. Constant weights are int8. A plan in 16 bits
// (src/ir/formats/qint16.h) has uint16 and int16 instead.
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

// The interval from `low` to `high`. The range of a quantised tensor contains 0.
struct ValueRange {
  double low = 0;
  double high = 0;

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// Scale of an activation in uint8 or uint16.
struct ActivationScale {
  float scale = 1;              // above 0, finite
  std::int32_t zero_point = 0;  // 0 to 255, or 0 to 65535

  // The real numbers that the uint8 integers 0 and 255 stand for.
  [[nodiscard]] ValueRange range() const {
    const auto step = static_cast<double>(scale);
    return {-step * zero_point, step * (255 - zero_point)};
  }

  friend bool operator==(const ActivationScale&, const ActivationScale&) = default;
};

// Scales of constant weights in int8 or int16: one for the tensor, or one for each result channel
// of the operator that reads them (axis 0 for Conv, the column for a matrix product).
struct WeightScales {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // parallel to `scales`; empty: all 0

  friend bool operator==(const WeightScales&, const WeightScales&) = default;
};

// Factors of the channels of an activation: the integer q of channel c stands for factors[c] *
// scale * (q - zero_point). So channels with different ranges all use the full range of integers.
// Cross-layer equalisation and SmoothQuant choose such factors
// (search/calibrate/channel_factors.h).
struct ChannelFactors {
  int axis = 1;                // channel axis of the tensor in the network, from 0
  std::vector<float> factors;  // above 0, finite; one for each index of the axis

  friend bool operator==(const ChannelFactors&, const ChannelFactors&) = default;
};

// Scales of a whole network. Keys are names in the network: of values in `activations`,
// `channel_factors` and `weights`, of nodes in `bias_shifts`.
struct Quantization {
  std::map<std::string, ActivationScale, std::less<>> activations;
  // Channel factors; an activation without an entry has the factor 1 in every channel.
  std::map<std::string, ChannelFactors, std::less<>> channel_factors;
  // Scales of weights that override the default; they include the channel factors of the other
  // operand. The default is the largest magnitude of the channel (or tensor) / 127, or 1 where that
  // is 0.
  std::map<std::string, WeightScales, std::less<>> weights;
  bool per_channel_weights = true;
  // Numbers that bias correction adds to the result of a node, one for each result channel.
  std::map<std::string, std::vector<float>, std::less<>> bias_shifts;

  // Stable hash of the content; equal quantisations, and only those, have equal digests.
  [[nodiscard]] Hash128 Digest() const;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// Origin of a quantisation. It is shown and compared; no computation reads it.
struct QuantizationSource {
  std::string tool_version;                 // version of halftone
  std::optional<Hash128> model;             // Model::hash; empty: unknown
  std::optional<Hash128> calibration_data;  // hash of the calibration samples; empty: unknown
  std::string method;                       // "minmax", "auto", ...; free text
  std::int64_t samples = 0;                 // number of calibration samples; 0: none, or unknown

  friend bool operator==(const QuantizationSource&, const QuantizationSource&) = default;
};

}  // namespace halftone
