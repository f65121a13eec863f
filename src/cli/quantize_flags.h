// Options of quantisation of `tune`.
#pragma once

#include <string>

#include "src/api/halftone.h"

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

struct QuantizeFlags {
  std::string mode;  // empty: not given
  std::string calibration_inputs;
  std::string method = "auto";
  std::string bias_correction = "local";
  std::string quantization;  // path of a file
};

void AddQuantizeFlags(CLI::App& app, QuantizeFlags& flags);

// `data`: how samples are read. `target` becomes that of --quantize=for:TARGET. Reads the file of
// --quantization. Error kUsage.
QuantizeOptions QuantizeOptionsOf(const QuantizeFlags& flags, const DatasetOptions& data,
                                  TargetOptions& target);

}  // namespace halftone
