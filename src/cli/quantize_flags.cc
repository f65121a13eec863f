#include "src/cli/quantize_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/api/quantize_options.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

template <typename Enum, std::size_t kCount>
std::vector<std::string> NamesOf(const EnumRow<Enum> (&rows)[kCount]) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    names.emplace_back(row.name);
  }
  return names;
}

}  // namespace

void AddQuantizeFlags(CLI::App& app, QuantizeFlags& flags) {
  app.add_option("--quantize", flags.mode,
                 "Whether operators compute in 8 bits: off, on, only (8 bits and float32 alone); "
                 "without it on for real samples on the host. for:TARGET chooses a QDQ file for "
                 "another runtime by accuracy and a model of its costs, on any CPU: " +
                     Join(QuantizeDestinations(), ", ") + ", or a device with 8 bits");
  app.add_option("--calibration_inputs", flags.calibration_inputs,
                 "Samples from which the ranges of 8-bit tensors are taken, as --inputs; without "
                 "it 64 of --inputs at most, never held-out ones");
  app.add_option("--calibration_method", flags.method,
                 fmt::format("How a range is chosen: {}, or {} (of several the one with the least "
                             "error at the readers of the tensor)",
                             CalibrationMethodNames(), "auto"))
      ->capture_default_str();
  app.add_option("--bias_correction", flags.bias_correction,
                 "Mean errors that 8-bit products make: none (they stay), local (they go off by "
                 "the bias), sequential (in each measured plan those of its own values do)")
      ->check(CLI::IsMember(NamesOf(kBiasCorrections)))
      ->capture_default_str();
  app.add_option("--quantization", flags.quantization,
                 "File of scales (quantization.json, or a table of ONNX Runtime, TensorRT or "
                 "AIMET) in place of a "
                 "calibration");
}

QuantizeOptions QuantizeOptionsOf(const QuantizeFlags& flags, const DatasetOptions& data,
                                  TargetOptions& target) {
  QuantizeOptions options;
  QuantizeRequest request = ParseQuantize(flags.mode, target);
  options.mode = request.mode;
  target = std::move(request.target);
  options.method = flags.method;
  options.bias_correction =
      ValueIn(kBiasCorrections, flags.bias_correction).value_or(BiasCorrection::kLocal);
  if (!flags.calibration_inputs.empty()) {
    options.calibration = data;
    options.calibration->inputs = flags.calibration_inputs;
    options.calibration->labels.clear();
  }
  if (!flags.quantization.empty()) {
    if (options.calibration) {
      throw Error(ErrorKind::kUsage,
                  "--quantization gives the scales that --calibration_inputs would give: leave one "
                  "of them out");
    }
    options.given = LoadScales(flags.quantization);
  }
  CheckCalibrationMethod(options.method);
  return options;
}

}  // namespace halftone
