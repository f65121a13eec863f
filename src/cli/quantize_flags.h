// Options of `tune` for quantisation.
#pragma once

#include <string>

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"

namespace halftone {

struct QuantizeFlags {
  std::string mode;  // empty: not given
  std::string calibration_inputs;
  std::string method = "auto";
  std::string bias_correction = "local";
  std::string quantization;  // path of a file with scales
};

void AddQuantizeFlags(CLI::App& app, QuantizeFlags& flags);

// Converts the options, and reads the file of --quantization. `data`: options of the samples, which
// also apply to --calibration_inputs. Sets `target` for --quantize=for:TARGET. Error kUsage.
QuantizeOptions QuantizeOptionsOf(const QuantizeFlags& flags, const DatasetOptions& data,
                                  TargetOptions& target);

}  // namespace halftone
