// compression_optimize.cfg: the file of ATC's --compression_optimize_conf, which has a network
// quantised while it is compiled. Format: docs/reference/targets.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostCompressionBytes = 1U << 20U;

// Lines are written in this order; texts as ATC takes them, empty: not given.
struct CalibrationBlock {
  std::vector<std::string> input_data;  // a file for each input, all batches one behind another
  // Names and shapes of the inputs, in the order of `input_data`: {"in0", "16,3,224,224"}.
  std::vector<std::pair<std::string, std::string>> input_shapes;
  std::string config_file;  // AMCT's own, amct_config.h
  std::string infer_soc;    // such as Ascend310P3: where it is calibrated
  // Further settings that are only passed on: infer_aicore_num, infer_device_id, infer_ip,
  // infer_port, log; in the order of the file.
  std::vector<std::pair<std::string, std::string>> further;

  friend bool operator==(const CalibrationBlock&, const CalibrationBlock&) = default;
};

struct CompressionConfig {
  bool first_layer = false;  // enable_first_layer_quantization
  CalibrationBlock calibration;

  friend bool operator==(const CompressionConfig&, const CompressionConfig&) = default;
};

// Error kUsage, "<where>:<line>: ...": a line of another form, an unknown key, one that stands
// twice, a block that is not closed, no input_data_dir, input_shape or infer_soc, another number of
// files than of shapes.
CompressionConfig ParseCompressionConfig(std::string_view text, std::string_view where);

// The file; it reads back to an equal value. Error kUsage: a file, name or setting that the format
// cannot hold (commas, semicolons, colons, blanks at the ends, line breaks).
std::string WriteCompressionConfig(const CompressionConfig& config);

// Precision options of the same command, as the user gives them; empty: not given.
struct OptionsBesideCalibration {
  std::string_view precision_mode;
  std::string_view precision_mode_v2;
  std::string_view op_precision_mode;  // content of the file
  bool has_float32 = true;             // the network has tensors of float32
};

// Why ATC does not calibrate with these options: it refuses high precision beside a calibration.
// Empty: it does. Source: the guide of ATC, --compression_optimize_conf.
std::string RefusesCalibration(const OptionsBesideCalibration& options);

}  // namespace halftone
