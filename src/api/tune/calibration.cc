#include "src/api/tune/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/qaic/point_files.h"

namespace halftone {
namespace {

bool HasScaledFormat(const TargetSpec& target) {
  return std::ranges::any_of(target.formats, &NumericFormat::is_scaled);
}

// Evenly spaced samples: `count` of all, or the others.
Dataset Spaced(const Dataset& all, std::size_t count, bool others) {
  std::vector<bool> is_chosen(all.size());
  for (std::size_t i = 0; i < count; ++i) {
    is_chosen[i * all.size() / count] = true;
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_chosen[i] != others) {
      indices.push_back(i);
    }
  }
  return all.Part(indices);
}

// The samples of the calibration; takes those that it sets aside from `search`.
Dataset CalibrationSamples(Prepared& prepared) {
  const QuantizeOptions& options = prepared.options.quantize;
  Dataset& search = prepared.data.search;
  if (options.calibration) {
    std::vector<Dataset> loaded =
        LoadSamples(std::span<const Model>(&prepared.model, 1), *options.calibration);
    Dataset& samples = loaded.front();
    return samples.size() > kMostCalibrationSamples
               ? Spaced(samples, kMostCalibrationSamples, false)
               : std::move(samples);
  }
  const std::size_t count = search.size();
  if (count < kFewestToSetAside || !prepared.others.empty()) {
    prepared.warnings.push_back(fmt::format(
        "8-bit tensors are calibrated on {} of the search, so its accuracy flatters them; give "
        "--calibration_inputs, or {} samples or more",
        Counted(static_cast<std::int64_t>(std::min(count, kMostCalibrationSamples)), "sample"),
        kFewestToSetAside));
    return Spaced(search, std::min(count, kMostCalibrationSamples), false);
  }
  const std::size_t aside = std::min(count / 4, kMostCalibrationSamples);
  Dataset samples = Spaced(search, aside, false);
  Dataset rest = Spaced(search, aside, true);
  rest.representative = search.representative;
  rest.notes = search.notes;
  rest.state = search.state;
  rest.steps_each = search.steps_each;
  rest.drawn_from = search.drawn_from;
  search = std::move(rest);
  return samples;
}

}  // namespace

QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples) {
  const auto asked = options.quantize.mode;
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
  const Dataset samples = CalibrationSamples(prepared);
  const bool by_compiler = prepared.target.family == kCloudAiFamily;
  calibration.correct_bias = calibration.correct_bias && !by_compiler;
  Quantization made = Calibrate(prepared.model.graph, samples, calibration).quantization;
  prepared.space.quantization = SharedQuantization(
      by_compiler ? CompilersQuantization(prepared.model.graph, made) : std::move(made));
}

}  // namespace halftone
