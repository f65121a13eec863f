#include "src/api/tune/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "search/calibrate/calibrated_values.h"
#include "search/calibrate/record_calibration.h"
#include "src/amct/layers.h"
#include "src/api/bank/stored_calibration.h"
#include "src/api/load/calibration_samples.h"
#include "src/api/tune/amct_calibration.h"
#include "src/api/tune/destination.h"
#include "src/base/error.h"
#include "src/exec/finite_constants.h"
#include "src/qaic/point_files.h"

namespace halftone {
namespace {

bool HasScaledFormat(const TargetSpec& target) {
  return std::ranges::any_of(target.formats, &NumericFormat::is_scaled);
}

CalibrationSamples SamplesFor(const RunInputs& from, Scales& scales) {
  const QuantizeOptions& options = from.options.quantize;
  std::vector<const Model*> profiles;
  std::vector<const Dataset*> searched;
  for (std::size_t i = 0; i < from.network.profiles.size(); ++i) {
    profiles.push_back(&from.network.profiles[i]);
    searched.push_back(&from.samples.parts[i].search);
  }
  if (options.calibration) {
    return LoadCalibrationSamples(profiles, *options.calibration);
  }
  if (from.samples.parts.front().heldout.empty() && !from.stored_only) {
    scales.warnings.push_back(
        "8-bit tensors are calibrated on samples of the search, and no samples are held out: the "
        "accuracy of 8-bit points is flattered; give --calibration_inputs or --heldout_inputs");
  }
  return CalibrationPart(profiles, searched);
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

// A sentence for each tensor that samples made infinite.
void WarnOfNonFinite(const Graph& graph, const Quantization& calibrated, Scales& scales) {
  for (const NonFiniteTensor& tensor : NonFiniteTensors(graph, calibrated)) {
    scales.warnings.push_back(Describe(tensor));
  }
}

// Takes the quantisation, with its record. Reports are written without that where weights cannot be
// quantised.
void Take(SharedQuantization quantization, const std::map<std::string, CalibratedTensor>& tensors,
          const Graph& graph, Scales& scales) {
  scales.quantization = std::move(quantization);
  try {
    scales.record = std::make_shared<const CalibrationRecord>(
        RecordCalibration(graph, *scales.quantization, tensors, scales.quantization.source()));
  } catch (const Error& error) {
    scales.warnings.push_back(
        fmt::format("the report says nothing of 8-bit tensors: {}", error.what()));
  }
}

// Samples of the first shape for the correction of plans, of which `count` were calibrated on.
Dataset CorrectionSamples(const CalibrationSamples& calibrated, std::size_t count,
                          const Model& model) {
  const Dataset samples = calibrated.SamplesOf(model);
  return EvenlySpaced(samples, std::min(count, samples.size()));
}

// The scales of an earlier calibration in place of a new one.
void TakeStored(const StoredCalibration& stored, const RunInputs& from,
                const CalibrationSamples& samples, Scales& scales) {
  scales.quantization = stored.quantization;
  scales.record = stored.record;
  const bool by_compiler = from.network.target.family == kCloudAiFamily;
  if (!by_compiler) {  // whose rules leave out other tensors, too
    WarnOfNonFinite(from.network.graph(), *stored.quantization, scales);
  }
  if (!stored.cut.empty()) {
    scales.warnings.push_back(stored.cut);
  }
  if (from.options.quantize.bias_correction == BiasCorrection::kSequential && !by_compiler) {
    scales.correction_samples =
        CorrectionSamples(samples, static_cast<std::size_t>(stored.quantization.source().samples),
                          from.network.model());
  }
}

CalibrationOptions CalibrationFor(const QuantizeOptions& options, const CalibrationSamples& samples,
                                  int threads, const CompileOptions& compile,
                                  const TuneCallbacks& callbacks) {
  CalibrationOptions calibration{.methods = CalibrationCandidates(options.method),
                                 .correct_bias = options.bias_correction != BiasCorrection::kNone,
                                 .per_channel_weights = options.per_channel_weights,
                                 .threads = threads,
                                 .compile = compile};
  calibration.stop_requested = callbacks.stop_requested;
  calibration.on_progress = [on_probes = callbacks.on_probes](std::size_t done,
                                                              std::size_t planned) {
    if (on_probes) {
      on_probes({.stage = "calibration", .done = done, .planned = planned});
    }
  };
  for (std::size_t i = 1; i < samples.shapes.size(); ++i) {
    calibration.others.push_back({&samples.shapes[i].model->graph, samples.shapes[i].samples});
  }
  return calibration;
}

// Scales of the layers that AMCT will quantise.
void TakePredicted(const Model& model, const CalibrationSamples& samples,
                   CalibrationOptions calibration, Scales& scales) {
  scales.calibration_samples = samples.SamplesOf(model);
  PredictedLayers predicted = PredictAmct(std::move(calibration), samples, model);
  std::ranges::move(predicted.warnings, std::back_inserter(scales.warnings));
  WarnOfNonFinite(model.graph, predicted.made.quantization, scales);
  Take(std::move(predicted.quantization), predicted.made.tensors, model.graph, scales);
}

// Scales of a new calibration, which has ended.
void TakeMade(const RunInputs& inputs, const CalibrationSamples& samples, Calibration made,
              Scales& scales) {
  const Model& model = inputs.network.model();
  const QuantizeOptions& options = inputs.options.quantize;
  const bool by_compiler = inputs.target().family == kCloudAiFamily;
  WarnOfNonFinite(model.graph, made.quantization, scales);
  const QuantizationSource source{.tool_version = std::string(Version()),
                                  .model = model.hash,
                                  .calibration_data = samples.Hash(),
                                  .method = made.hedge.empty() ? options.method : made.hedge,
                                  .samples = static_cast<std::int64_t>(made.samples)};
  SharedQuantization quantization(by_compiler
                                      ? CompilersQuantization(model.graph, made.quantization)
                                      : std::move(made.quantization),
                                  source);
  Take(ForDestination(std::move(quantization), model.graph, inputs.target()), made.tensors,
       model.graph, scales);
  if (!made.cut.empty()) {
    scales.warnings.push_back(made.cut);
  }
  if (options.bias_correction == BiasCorrection::kSequential && !by_compiler) {
    scales.correction_samples = CorrectionSamples(samples, made.samples, model);
  }
}

// Takes the scales of the knowledge base, or those of a calibration, which it stores.
void CalibrateOrFind(const RunInputs& inputs, const CalibrationSamples& samples,
                     CalibrationOptions calibration, const TimeBudget& budget, Scales& scales) {
  const Model& model = inputs.network.model();
  const bool by_compiler = inputs.target().family == kCloudAiFamily;
  calibration.correct_bias = calibration.correct_bias && !by_compiler;
  calibration.equalise = !by_compiler;  // its profiles have one range a tensor
  // A compiler has one method for all tensors, and it is the one that was asked for.
  if (inputs.options.quantize.method == kAutoCalibration && !by_compiler) {
    calibration.hedges = CalibrationHedges();
  }
  const double had_s = calibration.time.limited() ? calibration.time.left_s() : 0;
  const Hash128 key = CalibrationKey(model, samples.Hash(), calibration);
  TrialStore* const store = inputs.bank.store.get();
  if (store != nullptr) {
    const KnownCalibration known = FindCalibration(*store, model, key);
    if (known.calibration &&
        (inputs.stored_only || known.calibration->Answers(calibration.time.left_s()))) {
      TakeStored(*known.calibration, inputs, samples, scales);
      return;
    }
    if (!known.warning.empty()) {
      scales.warnings.push_back(known.warning);
    }
  }
  if (inputs.stored_only) {
    return;
  }
  const bool is_optional = inputs.target().destination == nullptr;
  if (const std::string why = WhyNotCalibrated(inputs.options, budget);
      is_optional && !why.empty()) {
    scales.warnings.assign(1, why);  // of 8 bits in place of what else is said of them
    return;
  }
  Calibration made = Calibrate(samples.graph(), samples.samples(), calibration);
  const std::string cut = made.cut;
  TakeMade(inputs, samples, std::move(made), scales);
  if (store != nullptr && !(calibration.stop_requested && calibration.stop_requested())) {
    const std::string warning = StoreCalibration(
        *store, model, key,
        {.quantization = scales.quantization, .record = scales.record, .cut = cut, .had_s = had_s});
    if (!warning.empty()) {
      scales.warnings.push_back(warning);
    }
  }
}

}  // namespace

double CalibrationShare(const TimeBudget& budget) {
  constexpr double kShare = 0.2;
  constexpr double kShareOfFew = 0.12;
  constexpr double kFewRuns = 1000;
  return budget.runs() < kFewRuns ? kShareOfFew : kShare;
}

std::string WhyNotCalibrated(const TuneOptions& options, const TimeBudget& budget) {
  constexpr double kFewestRuns = 60;  // the least calibration takes some ten, as a plan does
  const bool asked = options.quantize.mode || options.quantize.calibration;
  return asked || budget.runs() >= kFewestRuns
             ? ""
             : fmt::format(
                   "8 bits are not searched: the budget is {:.0f} float32 runs, and below "
                   "{:.0f} there is no time for a calibration; --quantize=on has one",
                   budget.runs(), kFewestRuns);
}

QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples, const std::optional<ScaledSpeed>& speed) {
  const auto asked = options.quantize.mode;
  if (IsAmctTarget(target)) {
    return AmctModeFor(options.quantize);
  }
  if (HasScaledFormat(target)) {
    const bool has_data = samples.representative || options.quantize.calibration.has_value() ||
                          static_cast<bool>(options.quantize.given);
    const bool is_slow = speed && speed->ratio > kSlowScaledRatio;
    const bool is_for_8_bits = target.destination != nullptr;
    return asked.value_or(is_for_8_bits || (has_data && !is_slow) ? QuantizeMode::kOn
                                                                  : QuantizeMode::kOff);
  }
  if (asked.value_or(QuantizeMode::kOff) != QuantizeMode::kOff) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--quantize={}: target {} has no operators in 8 bits that halftone "
                            "searches; leave the option out",
                            NameOf(*asked), target.name));
  }
  return QuantizeMode::kOff;
}

std::string SlowScaledNote(const ScaledSpeed& speed) {
  return fmt::format(
      "8 bits are not searched: by its profile this machine takes {:.2g} times as long for "
      "products "
      "in {} as in {}; --quantize=on searches them all the same",
      speed.ratio, speed.scaled, speed.other);
}

Scales ScalesOf(const RunInputs& inputs, const std::optional<ScaledSpeed>& speed,
                const CompileOptions& compile, const TuneCallbacks& callbacks, TimeBudget& budget) {
  const PhaseScope scope(budget, BudgetPhase::kCalibration);
  const Graph& graph = inputs.graph();
  const QuantizeOptions& options = inputs.options.quantize;
  Scales scales;
  const auto mode_at = [&](const std::optional<ScaledSpeed>& known) {
    return QuantizeModeFor(inputs.options, inputs.target(), inputs.samples.searched(), known);
  };
  if (mode_at(speed) == QuantizeMode::kOff) {
    if (mode_at(std::nullopt) != QuantizeMode::kOff) {
      scales.warnings.push_back(SlowScaledNote(*speed));
    }
    return scales;
  }
  for (const NonFiniteConstant& constant : NonFiniteConstants(graph)) {
    scales.warnings.push_back(Describe(constant));
  }
  if (options.given) {
    RequireKnownTensors(graph, *options.given);
    Take(ForDestination(options.given, graph, inputs.target()), {}, graph, scales);
    return scales;
  }
  const CalibrationSamples samples = SamplesFor(inputs, scales);
  std::ranges::copy(samples.notes, std::back_inserter(scales.warnings));
  CalibrationOptions calibration =
      CalibrationFor(options, samples, inputs.threads, compile, callbacks);
  calibration.time = budget.Slice(CalibrationShare(budget));
  if (!IsAmctTarget(inputs.target())) {
    CalibrateOrFind(inputs, samples, std::move(calibration), budget, scales);
  } else if (!inputs.stored_only) {
    TakePredicted(inputs.network.model(), samples, std::move(calibration), scales);
  }
  return scales;
}

std::shared_ptr<const CalibrationRecord> CalibrationAt(const Scales& scales,
                                                       const TunedFront& front) {
  const std::optional<std::size_t> described = front.described();
  if (scales.record == nullptr || !described) {
    return scales.record;
  }
  const SharedQuantization& own = front.points[*described].trial.candidate.options.quantization;
  return !own || own == scales.quantization
             ? scales.record
             : std::make_shared<const CalibrationRecord>(WithShifts(*scales.record, *own));
}

}  // namespace halftone
