// File compression_optimize.cfg of ATC's --compression_optimize_conf, which makes ATC quantise a
// network while it compiles the network. Format: docs/reference/targets.md.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostCompressionBytes = 1U << 20U;

// Settings in the block "calibration { ... }", in the order in which they are written. Texts are as
// ATC takes them; an empty one is not given.
struct CalibrationBlock {
  std::vector<std::string> input_data;  // one file for each input, which holds all batches
  // Name and shape of each input, in the order of `input_data`: {"in0", "16,3,224,224"}.
  std::vector<std::pair<std::string, std::string>> input_shapes;
  std::string config_file;  // path of a quant.cfg (amct_config.h)
  std::string infer_soc;    // SoC on which AMCT calibrates, such as Ascend310P3
  // Keys and values that halftone only passes on, in the order of the file: infer_aicore_num,
  // infer_device_id, infer_ip, infer_port, log.
  std::vector<std::pair<std::string, std::string>> further;

  friend bool operator==(const CalibrationBlock&, const CalibrationBlock&) = default;
};

struct CompressionConfig {
  bool first_layer = false;      // enable_first_layer_quantization
  CalibrationBlock calibration;  // all empty: the file has no such block

  friend bool operator==(const CompressionConfig&, const CompressionConfig&) = default;
};

// Parses the text of the file named `where`. Error kUsage, "<where>:<line>: ...": another syntax,
// an unknown or repeated key, a block that is not closed or lacks input_data_dir, input_shape or
// infer_soc, numbers of files and of shapes that differ, more than kMostCompressionBytes.
CompressionConfig ParseCompressionConfig(std::string_view text, std::string_view where);

// The text of the file. ParseCompressionConfig() reads it back to an equal value. Error kUsage: the
// format cannot hold a value, because it is empty, begins or ends with a blank, has a line break or
// '#', is a path with a comma, or is the name of an input with a semicolon.
std::string WriteCompressionConfig(const CompressionConfig& config);

// Precision options of an ATC command with a calibration, as the user gives them; empty: not given.
struct OptionsBesideCalibration {
  std::string_view precision_mode;
  std::string_view precision_mode_v2;
  std::string_view op_precision_mode;  // content of the file
  bool has_float32 = true;             // true if the network has float32 tensors
};

// Reason why ATC refuses to calibrate with these options; empty if it does not. ATC refuses high
// precision beside a calibration (guide of ATC, --compression_optimize_conf).
std::string RefusesCalibration(const OptionsBesideCalibration& options);

}  // namespace halftone
