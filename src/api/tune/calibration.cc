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

CalibrationSamples SamplesFor(Prepared& prepared) {
  const QuantizeOptions& options = prepared.options.quantize;
  std::vector<const Model*> profiles = {&prepared.model};
  std::vector<const Dataset*> searched = {&prepared.data.search};
  for (const PreparedShape& other : prepared.others) {
    profiles.push_back(&other.model);
    searched.push_back(&other.data.search);
  }
  if (options.calibration) {
    return LoadCalibrationSamples(profiles, *options.calibration);
  }
  if (prepared.data.heldout.empty() && !prepared.stored_only) {
    prepared.warnings.push_back(
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
void WarnOfNonFinite(const Quantization& calibrated, Prepared& prepared) {
  for (const NonFiniteTensor& tensor : NonFiniteTensors(prepared.model.graph, calibrated)) {
    prepared.warnings.push_back(Describe(tensor));
  }
}

// For the reports, which are written without it where weights cannot be quantised.
void RecordScales(const std::map<std::string, CalibratedTensor>& tensors, Prepared& prepared) {
  const SharedQuantization& quantization = prepared.space.quantization;
  try {
    prepared.calibration = std::make_shared<const CalibrationRecord>(
        RecordCalibration(prepared.model.graph, *quantization, tensors, quantization.source()));
  } catch (const Error& error) {
    prepared.warnings.push_back(
        fmt::format("the report says nothing of 8-bit tensors: {}", error.what()));
  }
}

// Samples of the first shape for the correction of plans, of which `count` were calibrated on.
Dataset CorrectionSamples(const CalibrationSamples& calibrated, std::size_t count,
                          const Prepared& prepared) {
  const Dataset samples = calibrated.SamplesOf(prepared.model);
  return EvenlySpaced(samples, std::min(count, samples.size()));
}

// The scales of an earlier calibration in place of a new one.
void TakeStored(const StoredCalibration& stored, const QuantizeOptions& options,
                const CalibrationSamples& samples, Prepared& prepared) {
  prepared.space.quantization = stored.quantization;
  prepared.calibration = stored.record;
  if (prepared.target.family != kCloudAiFamily) {  // whose rules leave out other tensors, too
    WarnOfNonFinite(*stored.quantization, prepared);
  }
  if (!stored.cut.empty()) {
    prepared.warnings.push_back(stored.cut);
  }
  if (options.bias_correction == BiasCorrection::kSequential &&
      prepared.target.family != kCloudAiFamily) {
    prepared.correction_samples = CorrectionSamples(
        samples, static_cast<std::size_t>(stored.quantization.source().samples), prepared);
  }
}

}  // namespace

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

void PrepareQuantization(const TuneCallbacks& callbacks, TimeBudget& budget, Prepared& prepared) {
  const PhaseScope scope(budget, BudgetPhase::kCalibration);
  const QuantizeOptions& options = prepared.options.quantize;
  const auto mode_at = [&](const std::optional<ScaledSpeed>& speed) {
    return QuantizeModeFor(prepared.options, prepared.target, prepared.data.search, speed);
  };
  const QuantizeMode mode = mode_at(prepared.scaled_speed);
  if (mode == QuantizeMode::kOff) {
    if (mode_at(std::nullopt) != QuantizeMode::kOff) {
      prepared.warnings.push_back(SlowScaledNote(*prepared.scaled_speed));
    }
    return;
  }
  for (const NonFiniteConstant& constant : NonFiniteConstants(prepared.model.graph)) {
    prepared.warnings.push_back(Describe(constant));
  }
  if (options.given) {
    RequireKnownTensors(prepared.model.graph, *options.given);
    prepared.space.quantization =
        ForDestination(options.given, prepared.model.graph, prepared.target);
    RecordScales({}, prepared);
    return;
  }
  CalibrationOptions calibration{.methods = CalibrationCandidates(options.method),
                                 .correct_bias = options.bias_correction != BiasCorrection::kNone,
                                 .per_channel_weights = options.per_channel_weights,
                                 .threads = prepared.facts.threads,
                                 .compile = prepared.Compile()};
  calibration.stop_requested = callbacks.stop_requested;
  calibration.time = budget.Slice(kCalibrationShare);
  const double had_s = calibration.time.limited() ? calibration.time.left_s() : 0;
  calibration.on_progress = [&](std::size_t done, std::size_t planned) {
    if (callbacks.on_probes) {
      callbacks.on_probes({.stage = "calibration", .done = done, .planned = planned});
    }
  };
  const CalibrationSamples samples = SamplesFor(prepared);
  std::ranges::copy(samples.notes, std::back_inserter(prepared.warnings));
  for (std::size_t i = 1; i < samples.shapes.size(); ++i) {
    calibration.others.push_back({&samples.shapes[i].model->graph, samples.shapes[i].samples});
  }
  if (IsAmctTarget(prepared.target)) {
    if (prepared.stored_only) {
      return;
    }
    prepared.calibration_samples = samples.SamplesOf(prepared.model);
    const Calibration made = PredictAmct(std::move(calibration), samples, prepared);
    WarnOfNonFinite(made.quantization, prepared);
    RecordScales(made.tensors, prepared);
    return;
  }
  const bool by_compiler = prepared.target.family == kCloudAiFamily;
  calibration.correct_bias = calibration.correct_bias && !by_compiler;
  calibration.equalise = !by_compiler;  // its profiles have one range a tensor
  // A compiler has one method for all tensors, and it is the one that was asked for.
  if (options.method == kAutoCalibration && !by_compiler) {
    calibration.hedges = CalibrationHedges();
  }
  const Hash128 key = CalibrationKey(prepared.model, samples.Hash(), calibration);
  if (prepared.store != nullptr) {
    const KnownCalibration known = FindCalibration(*prepared.store, prepared.model, key);
    if (known.calibration &&
        (prepared.stored_only || known.calibration->Answers(calibration.time.left_s()))) {
      TakeStored(*known.calibration, options, samples, prepared);
      return;
    }
    if (!known.warning.empty()) {
      prepared.warnings.push_back(known.warning);
    }
  }
  if (prepared.stored_only) {
    return;
  }
  Calibration made = Calibrate(samples.graph(), samples.samples(), calibration);
  WarnOfNonFinite(made.quantization, prepared);
  prepared.space.quantization = ForDestination(
      SharedQuantization(by_compiler
                             ? CompilersQuantization(prepared.model.graph, made.quantization)
                             : std::move(made.quantization),
                         {.tool_version = std::string(Version()),
                          .model = prepared.model.hash,
                          .calibration_data = samples.Hash(),
                          .method = made.hedge.empty() ? options.method : made.hedge,
                          .samples = static_cast<std::int64_t>(made.samples)}),
      prepared.model.graph, prepared.target);
  RecordScales(made.tensors, prepared);
  if (!made.cut.empty()) {
    prepared.warnings.push_back(made.cut);
  }
  if (prepared.store != nullptr && !(callbacks.stop_requested && callbacks.stop_requested())) {
    const std::string warning = StoreCalibration(*prepared.store, prepared.model, key,
                                                 {.quantization = prepared.space.quantization,
                                                  .record = prepared.calibration,
                                                  .cut = made.cut,
                                                  .had_s = had_s});
    if (!warning.empty()) {
      prepared.warnings.push_back(warning);
    }
  }
  if (options.bias_correction == BiasCorrection::kSequential && !by_compiler) {
    prepared.correction_samples = CorrectionSamples(samples, made.samples, prepared);
  }
}

std::shared_ptr<const CalibrationRecord> CalibrationAt(const Prepared& prepared,
                                                       const TunedFront& front) {
  const std::optional<std::size_t> described = front.described();
  if (prepared.calibration == nullptr || !described) {
    return prepared.calibration;
  }
  const SharedQuantization& own = front.points[*described].trial.candidate.options.quantization;
  return !own || own == prepared.space.quantization
             ? prepared.calibration
             : std::make_shared<const CalibrationRecord>(WithShifts(*prepared.calibration, *own));
}

}  // namespace halftone
