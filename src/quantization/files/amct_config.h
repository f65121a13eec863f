// quant.cfg: the simple configuration of AMCT, Ascend's quantiser, which ATC runs. It states which
// layers are quantised and how ranges are searched; AMCT finds the ranges itself. Format:
// docs/reference/targets.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Search of an activation's range: candidates are the extreme values times a factor. Bounds: AMCT's
// guide, "PTQ configuration parameters".
struct IfmrSettings {
  double search_range_start = 0.7;  // factors, above 0; start below end
  double search_range_end = 1.3;
  double search_step = 0.01;         // above 0, at most end - start
  double max_percentile = 0.999999;  // order statistics taken for the extreme values; above 0.5,
  double min_percentile = 0.999999;  // at most 1
  std::optional<bool> asymmetric;    // empty: as activation_offset says

  friend bool operator==(const IfmrSettings&, const IfmrSettings&) = default;
};

// Quantisation of a layer.
struct AmctCalibration {
  bool channel_wise = true;  // a scale of the weights for each result channel
  IfmrSettings ifmr;

  friend bool operator==(const AmctCalibration&, const AmctCalibration&) = default;
};

struct AmctOverride {
  std::string name;  // of a layer, or an Ascend IR type
  AmctCalibration calibration;

  friend bool operator==(const AmctOverride&, const AmctOverride&) = default;
};

// An operand of a MaxPool or Add that is quantised by itself.
struct AmctTensor {
  std::string layer;
  int input = 0;

  friend bool operator==(const AmctTensor&, const AmctTensor&) = default;
};

// Priority: layers, then types, then common, then activation_offset.
struct AmctConfig {
  bool activation_offset = true;  // activations are asymmetric
  bool joint_quant = false;       // the operands of a sum share a scale
  bool do_fusion = true;          // BatchNormalization into weights
  std::optional<int> batch_num;   // batches of the calibration data; from 1 on
  std::vector<std::string> skip_layers;
  std::vector<std::string> skip_layer_types;    // Ascend IR types
  std::vector<std::string> skip_fusion_layers;  // keep their BatchNormalization
  AmctCalibration common;
  std::vector<AmctOverride> types;
  std::vector<AmctOverride> layers;
  std::vector<AmctTensor> tensors;

  friend bool operator==(const AmctConfig&, const AmctConfig&) = default;
};

// Error kUsage, "<where>:<line>: ...", naming the field: text that is not in the text form of
// protocol buffers, an unknown field, a repeated field that is no list, a value of another type or
// out of its range. Error kUnsupported: a field of AMCT that halftone does not follow, such as
// hfmg_quantize.
AmctConfig ParseAmctConfig(std::string_view text, std::string_view where);

// The file; it reads back to an equal value.
std::string WriteAmctConfig(const AmctConfig& config);

}  // namespace halftone
