#include "src/api/tune/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/amct/layers.h"
#include "src/amct/point_files.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/qaic/point_files.h"

namespace halftone {
namespace {

constexpr std::string_view kAmctMethod = "ifmr";  // AMCT's default

bool HasScaledFormat(const TargetSpec& target) {
  return std::ranges::any_of(target.formats, &NumericFormat::is_scaled);
}

// At most kMostCalibrationSamples of them, evenly spaced.
Dataset Some(const Dataset& all) {
  const std::size_t count = std::min(all.size(), kMostCalibrationSamples);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    indices.push_back(i * all.size() / count);
  }
  return all.Part(indices);
}

Dataset CalibrationSamples(Prepared& prepared) {
  const QuantizeOptions& options = prepared.options.quantize;
  if (options.calibration) {
    return Some(LoadSamples({&prepared.model, 1}, *options.calibration).front());
  }
  if (prepared.data.heldout.empty()) {
    prepared.warnings.push_back(
        "8-bit tensors are calibrated on samples of the search, and no samples are held out: the "
        "accuracy of 8-bit points is flattered; give --calibration_inputs or --heldout_inputs");
  }
  return Some(prepared.data.search);
}

void RequireKnownTensors(const Graph& graph, const Quantization& given) {
  const bool knows_one = std::ranges::any_of(
      graph.values, [&](const Value& value) { return given.activations.contains(value.name); });
  if (!knows_one) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--quantization: none of the {} tensors in the file is one of the "
                            "network, whose first is '{}'; give the table of this network",
                            given.activations.size(),
                            graph.inputs.empty() ? "" : graph.value(graph.inputs[0]).name));
  }
}

// Off unless it is asked for: ATC then needs the device, and finds the ranges again.
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

// The scales of tensors that layers of AMCT read; it has no others.
Quantization OfLayers(const Graph& graph, Quantization made) {
  std::set<std::string> read;
  for (const NodeId id : AmctLayers(graph)) {
    read.insert(graph.value(graph.node(id).inputs[0]).name);
  }
  std::erase_if(made.activations, [&](const auto& of) { return !read.contains(of.first); });
  return made;
}

void PredictAmct(CalibrationOptions calibration, Prepared& prepared) {
  prepared.calibration_samples = CalibrationSamples(prepared);
  const Dataset& samples = prepared.calibration_samples;
  calibration.methods = CalibrationCandidates(kAmctMethod);
  calibration.correct_bias = false;
  calibration.equalise = false;
  const Graph& graph = prepared.model.graph;
  prepared.space.quantization =
      SharedQuantization(OfLayers(graph, Calibrate(graph, samples, calibration).quantization),
                         {.tool_version = std::string(Version()),
                          .model = prepared.model.hash,
                          .calibration_data = samples.Hash(),
                          .method = std::string(kAmctMethod),
                          .samples = static_cast<std::int64_t>(samples.size())});
  prepared.warnings.push_back(fmt::format(
      "8-bit layers: accuracy is predicted on this CPU with ranges of our own '{}'; AMCT finds its "
      "own when ATC compiles a point, on a device, and nothing here was run on one",
      kAmctMethod));
}

}  // namespace

QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples) {
  const auto asked = options.quantize.mode;
  if (IsAmctTarget(target)) {
    return AmctModeFor(options.quantize);
  }
  if (HasScaledFormat(target)) {
    const bool has_data = samples.representative || options.quantize.calibration.has_value() ||
                          static_cast<bool>(options.quantize.given);
    return asked.value_or(has_data ? QuantizeMode::kOn : QuantizeMode::kOff);
  }
  if (asked.value_or(QuantizeMode::kOff) != QuantizeMode::kOff) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--quantize={}: target {} has no operators in 8 bits that halftone "
                            "searches; leave the option out",
                            NameOf(*asked), target.name));
  }
  return QuantizeMode::kOff;
}

void PrepareQuantization(const TuneCallbacks& callbacks, Prepared& prepared) {
  const QuantizeOptions& options = prepared.options.quantize;
  const QuantizeMode mode =
      QuantizeModeFor(prepared.options, prepared.target, prepared.data.search);
  if (mode == QuantizeMode::kOff) {
    return;
  }
  if (options.given) {
    RequireKnownTensors(prepared.model.graph, *options.given);
    prepared.space.quantization = options.given;
    return;
  }
  CalibrationOptions calibration{.methods = CalibrationCandidates(options.method),
                                 .correct_bias = options.bias_correction != BiasCorrection::kNone,
                                 .per_channel_weights = options.per_channel_weights,
                                 .threads = prepared.facts.threads,
                                 .compile = prepared.Compile()};
  calibration.stop_requested = callbacks.stop_requested;
  calibration.on_progress = [&](std::size_t done, std::size_t planned) {
    if (callbacks.on_probes) {
      callbacks.on_probes({.stage = "calibration", .done = done, .planned = planned});
    }
  };
  if (IsAmctTarget(prepared.target)) {
    PredictAmct(std::move(calibration), prepared);
    return;
  }
  Dataset samples = CalibrationSamples(prepared);
  const bool by_compiler = prepared.target.family == kCloudAiFamily;
  calibration.correct_bias = calibration.correct_bias && !by_compiler;
  calibration.equalise = !by_compiler;  // its profiles have one range a tensor
  Quantization made = Calibrate(prepared.model.graph, samples, calibration).quantization;
  prepared.space.quantization = SharedQuantization(
      by_compiler ? CompilersQuantization(prepared.model.graph, made) : std::move(made),
      {.tool_version = std::string(Version()),
       .model = prepared.model.hash,
       .calibration_data = samples.Hash(),
       .method = options.method,
       .samples = static_cast<std::int64_t>(samples.size())});
  if (options.bias_correction == BiasCorrection::kSequential && !by_compiler) {
    prepared.correction_samples = std::move(samples);
  }
}

void WriteCalibrationSamples(const Prepared& prepared) {
  if (!prepared.calibration_samples.empty()) {
    WriteCalibrationData(prepared.options.output / kCalibrationFolder, prepared.model.graph,
                         prepared.calibration_samples);
  }
}

}  // namespace halftone
