#include "src/api/tune/amct_calibration.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "src/amct/layers.h"
#include "src/amct/point_files.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::string_view kAmctMethod = "ifmr";  // AMCT's default

// The scales of the tensors that layers of AMCT read; AMCT has no others.
Quantization OfLayers(const Graph& graph, Quantization made) {
  std::set<std::string> read;
  for (const NodeId id : AmctLayers(graph)) {
    read.insert(graph.value(graph.node(id).inputs[0]).name);
  }
  std::erase_if(made.activations, [&](const auto& of) { return !read.contains(of.first); });
  return made;
}

}  // namespace

QuantizeMode AmctModeFor(const QuantizeOptions& options) {
  const QuantizeMode mode = options.mode.value_or(QuantizeMode::kOff);
  if (mode == QuantizeMode::kOff) {
    return mode;
  }
  if (mode == QuantizeMode::kOnly) {
    throw Error(ErrorKind::kUsage,
                "--quantize=only: ATC quantises layers beside float16, and does not calibrate in "
                "high precision; give --quantize=on");
  }
  if (options.given) {
    throw Error(ErrorKind::kUsage,
                "--quantization: ATC takes no ranges, as AMCT finds them from the calibration data "
                "again; give --calibration_inputs");
  }
  if (options.method != kAutoCalibration && options.method != kAmctMethod) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--calibration_method={}: AMCT finds ranges by '{}'; leave the option "
                            "out",
                            options.method, kAmctMethod));
  }
  return mode;
}

PredictedLayers PredictAmct(CalibrationOptions calibration, const CalibrationSamples& samples,
                            const Model& model) {
  calibration.methods = CalibrationCandidates(kAmctMethod);
  calibration.correct_bias = false;
  calibration.equalise = false;
  PredictedLayers predicted;
  predicted.made = Calibrate(samples.graph(), samples.samples(), calibration);
  const Calibration& made = predicted.made;
  predicted.quantization = SharedQuantization(OfLayers(model.graph, made.quantization),
                                              {.tool_version = std::string(Version()),
                                               .model = model.hash,
                                               .calibration_data = samples.Hash(),
                                               .method = std::string(kAmctMethod),
                                               .samples = static_cast<std::int64_t>(made.samples)});
  if (!made.cut.empty()) {
    predicted.warnings.push_back(made.cut);
  }
  predicted.warnings.push_back(fmt::format(
      "8-bit layers: accuracy is predicted on this CPU with ranges of our own '{}'; AMCT finds its "
      "own when ATC compiles a point, on a device, and nothing here was run on one",
      kAmctMethod));
  return predicted;
}

void WriteCalibrationSamples(const Dataset& samples, const Graph& graph,
                             const std::filesystem::path& output) {
  if (!samples.empty()) {
    WriteCalibrationData(output / kCalibrationFolder, graph, samples);
  }
}

}  // namespace halftone
