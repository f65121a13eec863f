#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "kernels/kernel_table.h"
#include "search/measure/network_measurer.h"
#include "search/space/tunable_node.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/traced_samples.h"
#include "src/api/options/check_settings.h"
#include "src/api/run/overflow_advice.h"
#include "src/api/run/run_limits.h"
#include "src/api/runtime/open_runtime.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/machine_watch.h"
#include "src/exec/program.h"
#include "src/exec/vanished_constants.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// No kernel here rounds operands to HF32, and its exact format is not public. Where the CPU has a
// matrix unit, products run in two bfloat16 parts in its place.
void WarnOfHf32(const Graph& graph, const PrecisionPlan& plan, std::vector<std::string>& warnings) {
  const auto has_kernel = [](OpKind op) {
    const std::vector<ImplMode> modes = KernelImplModes(op, DType::kFloat32, DetectIsa());
    return std::ranges::find(modes, ImplMode::kEnableHiFloat32Execution) != modes.end();
  };
  int exact = 0;
  int in_parts = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].impl_mode == ImplMode::kEnableHiFloat32Execution) {
      ++(has_kernel(graph.nodes[i].op) ? in_parts : exact);
    }
  }
  const auto add = [&](int count, std::string_view how) {
    if (count > 0) {
      warnings.push_back(fmt::format(
          "{} {} to compute in HF32 on the target; here {} in {}, which is more accurate", count,
          count == 1 ? "node is" : "nodes are", count == 1 ? "it runs" : "they run", how));
    }
  };
  add(exact, "float32");
  add(in_parts, "two bfloat16 parts of each float");
}

// One plan on the samples that fit its graph.
struct PlannedRun {
  const Graph& graph;
  const PrecisionPlan& plan;
  const Dataset& dataset;
  CompileOptions compile;
  std::int64_t max_kept_bytes;
  std::shared_ptr<LatencySource> latency;
  const PrecisionOptions& precision;
  const TargetSpec& target;
};

std::shared_ptr<LatencySource> SourceOf(const Model& model, const TargetSpec& target,
                                        const Dataset& samples, const MeasureSettings& settings,
                                        const RunHooks& hooks) {
  OpenedRuntime opened =
      OpenRuntime({model, {target.name, {}}, target, samples}, settings, {}, hooks.stop_requested);
  return opened.runtime != nullptr ? TimedBy(std::move(opened.runtime)) : SourceFor(target);
}

std::string ConfigurationText(const PrecisionOptions& precision, const TargetSpec& target) {
  PrecisionOptions named = precision;
  const bool is_default = precision.precision_mode.empty() && precision.precision_mode_v2.empty();
  if (is_default) {
    named.precision_mode = EffectiveMode(precision, target).name;
  }
  return Summary(named, VocabularyOf(target)) + (is_default ? "; the mode is the default" : "");
}

// A rejection with what was found of its cause, and of what mends it.
std::string WithAdvice(const PlannedRun& run, const std::string& reason) {
  if (!reason.ends_with(kKeepNamed)) {
    return reason;
  }
  const std::string advice =
      OverflowAdvice({run.graph, run.target, run.precision, run.dataset, run.compile});
  const std::size_t end = std::min(reason.find(kLikelyCause), reason.size() - kKeepNamed.size());
  return advice.empty() ? reason : reason.substr(0, end) + advice;
}

// Warnings about weights that were clipped: of the first few, and how many there are.
void WarnOfClipped(const std::vector<ClippedWeight>& clipped, std::vector<std::string>& warnings) {
  constexpr std::size_t kMostWeights = 3;
  const std::size_t described = clipped.size() > kMostWeights + 1 ? kMostWeights : clipped.size();
  for (std::size_t i = 0; i < described; ++i) {
    warnings.push_back(Describe(clipped[i]));
  }
  if (described < clipped.size()) {
    warnings.push_back(fmt::format("{} more weights hold elements beyond 65504, which were clipped",
                                   clipped.size() - described));
  }
}

MeasureOptions MeasuringOf(const PlannedRun& run, const MeasureSettings& settings,
                           const RunHooks& hooks) {
  LossMetric metric = ChooseMetric(MetricArgumentsFor(run.graph, settings.metric));
  metric.stop_requested = hooks.stop_requested;
  return {.threads = settings.threads,
          .quick_budget_s = settings.quick_budget_s,
          .confirm_budget_s = settings.full_budget_s,
          .seed = settings.seed,
          .reject_overflow = false,
          .metric = std::move(metric),
          .needs_loss = false,
          .max_kept_bytes = run.max_kept_bytes,
          .max_values = kMostResampled,
          .latency = run.latency,
          .compile = run.compile,
          .reference_beside = true};
}

// All but the measurement.
RunResult Described(const PlannedRun& run, const MeasureSettings& settings) {
  const Graph& graph = run.graph;
  const PrecisionPlan& plan = run.plan;
  const Dataset& dataset = run.dataset;
  RunResult result;
  const Executable executable = Compile(graph, plan, run.compile);
  result.steps = executable.steps().size();
  result.tuned_steps =
      static_cast<std::size_t>(std::count_if(executable.steps().begin(), executable.steps().end(),
                                             [](const StepInfo& step) { return step.tuned; }));
  result.plan_digest = plan.Digest();
  result.planned_samples = static_cast<std::int64_t>(dataset.size());
  result.representative = dataset.representative;
  result.shows_classes = MakesClasses(graph) || dataset.has_labels() ||
                         settings.metric.metric.find("top") != std::string::npos;
  result.warnings = plan.warnings;
  WarnOfHf32(graph, plan, result.warnings);
  result.warnings.insert(result.warnings.end(), dataset.notes.begin(), dataset.notes.end());
  for (const VanishedConstant& vanished : VanishedConstants(graph, plan)) {
    result.warnings.push_back(Describe(vanished) +
                              "; keep the node in float32 if what follows divides by it");
  }
  WarnOfClipped(Lower(graph, plan).clipped_weights, result.warnings);
  if (!result.representative) {
    result.warnings.emplace_back(
        "no --inputs: the samples are random, so accuracy figures say little about real data");
  }
  Trial names;
  FillNodeNames(graph, plan, names);
  result.kept_nodes = std::move(names.kept_nodes);
  result.low_precision_nodes = std::move(names.low_precision_nodes);
  return result;
}

// Counts of passes over the samples, for progress and for the end of a run.
class WatchedPasses {
 public:
  WatchedPasses(const RunHooks& hooks, RunLimits& limits, std::size_t samples, bool timed)
      : hooks_(hooks), limits_(limits), samples_(samples), timed_(timed) {}

  void Watch(MeasureOptions& measuring) {
    sees_all_ = measuring.metric.function != nullptr || !measuring.metric.command.empty();
    measuring.on_sample = [this](MeasurePass pass, std::size_t done) { return Take(pass, done); };
    Tell("accuracy", 0, samples_);
  }

  // Samples that the plan was judged on.
  [[nodiscard]] std::size_t judged() const { return judged_; }

  void Tell(std::string_view what, std::size_t done, std::size_t planned) const {
    if (hooks_.on_progress) {
      hooks_.on_progress(what, done, planned);
    }
  }

 private:
  bool Take(MeasurePass pass, std::size_t done) {
    const bool of_plan = pass == MeasurePass::kPlan;
    judged_ = of_plan ? done : 0;
    Tell(of_plan ? "accuracy" : "float32", done, samples_);
    const bool goes_on = limits_.GoesOn(timed_ ? kLatencyShare : 0);
    // What follows needs float32 on all samples; a metric of the user's own judges all of them.
    return of_plan && !sees_all_ ? goes_on : !limits_.interrupted();
  }

  const RunHooks& hooks_;
  RunLimits& limits_;
  std::size_t samples_;
  bool timed_;
  bool sees_all_ = false;
  std::size_t judged_ = 0;
};

// The latency as far as it goes within the limits; `result` has the accuracy.
void AddLatency(const PlannedRun& run, NetworkMeasurer& measurer, const WatchedPasses& passes,
                RunLimits& limits, RunResult& result) {
  result.no_latency = run.latency->is_timed() ? limits.WhyNoLatency() : "";
  if (!result.no_latency.empty()) {
    return;
  }
  std::size_t runs = 0;
  passes.Tell("timed runs", 0, 0);
  const MachineWatch watch;
  const Latency latency = measurer.ConfirmUntil(run.plan, [&] {
    passes.Tell("timed runs", runs++, 0);
    return !limits.GoesOn(0);
  });
  result.timed = latency.median_s > 0;
  if (!result.timed) {
    result.no_latency = limits.interrupted() ? "" : limits.WhyNoLatency();
    return;
  }
  result.measurement.latency = latency;
  result.measurement.confirmed = true;
  measurer.TakeFacts(run.plan, result.measurement);
  result.reference_latency_s = latency.anchor_median_s;
  result.anchor = run.latency->AnchorFor(run.graph).name;
  result.load_warning = watch.Warning();
}

RunResult Measure(const PlannedRun& run, const MeasureSettings& settings,
                  const std::string& configuration, RunLimits& limits, const RunHooks& hooks,
                  std::size_t shape) {
  RunResult result = Described(run, settings);
  result.configuration = configuration;
  WatchedPasses passes(hooks, limits, run.dataset.size(), settings.latency);
  MeasureOptions measuring = MeasuringOf(run, settings, hooks);
  passes.Watch(measuring);
  NetworkMeasurer measurer(run.graph, run.dataset, measuring);
  const auto ended = [&](RunResult whole) {
    whole.interrupted = limits.interrupted();
    if (hooks.on_shape_end) {
      hooks.on_shape_end(whole, shape);
    }
    return whole;
  };
  if (limits.interrupted()) {
    return ended(std::move(result));
  }
  auto outcome = measurer.MeasureWithoutLatency(run.plan);
  if (const auto* rejection = std::get_if<Rejection>(&outcome)) {
    throw Error(ErrorKind::kUnsupported, WithAdvice(run, rejection->reason));
  }
  result.measurement = std::get<Measurement>(std::move(outcome));
  result.sample_count = static_cast<std::int64_t>(passes.judged());
  result.reference_top1 = measurer.reference_top1();
  NameWorstSamples(run.dataset, result.measurement.accuracy);
  result.judging = JudgingNotes(result.measurement.accuracy.outputs);
  result.overflow = Describe(result.measurement.overflow,
                             run.plan.record_overflow ? kAllFindings : kFirstFindings);
  if (run.plan.record_overflow && result.overflow.empty()) {
    result.overflow.emplace_back("no node overflowed or made NaN");
  }
  if (hooks.on_accuracy) {
    hooks.on_accuracy(result, shape);
  }
  if (settings.latency && !limits.interrupted()) {
    AddLatency(run, measurer, passes, limits, result);
  }
  return ended(std::move(result));
}

}  // namespace

RunResult RunOnSamples(const Model& model, const TargetSpec& target,
                       const PrecisionOptions& precision, const Dataset& samples,
                       const MeasureSettings& settings, const RunHooks& hooks) {
  CheckMeasureSettings(settings);
  CheckRuntimeArguments(settings.on);
  RequireMachineMemory(model.graph);
  const PrecisionPlan plan = ResolvePrecision(model.graph, precision, target);
  SharedConstants shared;
  const CompileOptions compile{.kernels = {}, .choices = KernelChoices(), .shared = &shared};
  RunLimits limits(hooks, 1);
  return Measure({model.graph, plan, samples, compile, KeptBytesWithin(model.options.max_memory),
                  SourceOf(model, target, samples, settings, hooks), precision, target},
                 settings, ConfigurationText(precision, target), limits, hooks, 0);
}

RunResult RunConfiguration(const Model& model, const RunSetup& setup,
                           const MeasureSettings& settings, const RunHooks& hooks) {
  return RunShapeProfiles({&model, 1}, setup, settings, hooks).front();
}

std::vector<RunResult> RunShapeProfiles(std::span<const Model> profiles, const RunSetup& setup,
                                        const MeasureSettings& settings, const RunHooks& hooks) {
  const TargetSpec& target = setup.target;
  const PrecisionOptions& precision = setup.precision;
  CheckMeasureSettings(settings);
  CheckRuntimeArguments(settings.on);
  for (const Model& profile : profiles) {
    RequireMachineMemory(profile.graph);
  }
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(profiles, target, precision);
  const std::vector<Dataset> datasets = LoadSamples(profiles, setup.data);
  SharedConstants shared;
  const std::string configuration = ConfigurationText(precision, target);
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Graph& graph = profiles[i].graph;
    const CompileOptions compile{
        .kernels = {},
        .choices = i < setup.choices.size() ? setup.choices[i] : KernelChoices(),
        .shared = &shared};
    RunLimits limits(hooks, profiles.size() - i);
    const auto measure = [&] {
      return Measure(
          {graph, plans[i], datasets[i], compile, KeptBytesWithin(profiles[i].options.max_memory),
           SourceOf(profiles[i], target, datasets[i], settings, hooks), precision, target},
          settings, configuration, limits, hooks, i);
    };
    results.push_back(
        profiles.size() == 1
            ? measure()
            : WithContext(
                  [&] { return fmt::format("input shape '{}'", NameOfProfile(profiles, i)); },
                  measure));
    if (results.back().interrupted) {
      break;
    }
  }
  return results;
}

}  // namespace halftone
