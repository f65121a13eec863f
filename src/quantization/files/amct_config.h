// File quant.cfg: the simple configuration of AMCT, Ascend's quantiser, which ATC runs. It states
// the layers to quantise and how ranges are searched; AMCT finds the ranges itself. Format:
// docs/reference/targets.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Search of an activation's range (ifmr_quantize): the candidates are the extreme values times a
// factor. The bounds of the settings are those of AMCT's guide, "PTQ configuration parameters".
struct IfmrSettings {
  double search_range_start = 0.7;  // least factor; above 0
  double search_range_end = 1.3;    // largest factor; above search_range_start
  double search_step = 0.01;        // step of the factor; above 0, at most end - start
  // Quantiles taken for the greatest and the least value; above 0.5, at most 1.
  double max_percentile = 0.999999;
  double min_percentile = 0.999999;
  std::optional<bool> asymmetric;  // empty: AmctConfig::activation_offset decides

  friend bool operator==(const IfmrSettings&, const IfmrSettings&) = default;
};

// Calibration of a layer.
struct AmctCalibration {
  bool channel_wise = true;  // weights have one scale per result channel
  IfmrSettings ifmr;

  friend bool operator==(const AmctCalibration&, const AmctCalibration&) = default;
};

// Calibration of one layer or layer type in place of the common one.
struct AmctOverride {
  std::string name;  // name of the layer, or Ascend IR type
  AmctCalibration calibration;

  friend bool operator==(const AmctOverride&, const AmctOverride&) = default;
};

// An operand of a MaxPool or Add layer that is quantised on its own (tensor_quantize).
struct AmctTensor {
  std::string layer;
  int input = 0;  // index of the operand, from 0

  friend bool operator==(const AmctTensor&, const AmctTensor&) = default;
};

// The whole file. For a layer, an entry of `layers` has priority over one of `types`, then over
// `common`, and last over `activation_offset`.
struct AmctConfig {
  bool activation_offset = true;                // true: activations are asymmetric
  bool joint_quant = false;                     // true: the operands of a sum share a scale
  bool do_fusion = true;                        // true: BatchNormalization is folded into weights
  std::optional<int> batch_num;                 // number of batches of calibration data, from 1
  std::vector<std::string> skip_layers;         // layers that stay in float
  std::vector<std::string> skip_layer_types;    // Ascend IR types that stay in float
  std::vector<std::string> skip_fusion_layers;  // layers whose BatchNormalization is not folded
  AmctCalibration common;
  std::vector<AmctOverride> types;
  std::vector<AmctOverride> layers;
  std::vector<AmctTensor> tensors;

  friend bool operator==(const AmctConfig&, const AmctConfig&) = default;
};

// Parses the text of the file named `where`. Error kUsage, "<where>:<line>: ...", naming the field:
// not the text form of protocol buffers, an unknown field, a repeated field that is no list, a
// value of another type or out of its range. Error kUnsupported: a field of AMCT that halftone does
// not support, such as hfmg_quantize.
AmctConfig ParseAmctConfig(std::string_view text, std::string_view where);

// The text of the file. ParseAmctConfig() reads it back to an equal value.
std::string WriteAmctConfig(const AmctConfig& config);

}  // namespace halftone
