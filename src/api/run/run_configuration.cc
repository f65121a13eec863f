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
#include "src/api/runtime/open_runtime.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/machine_watch.h"
#include "src/exec/program.h"
#include "src/exec/vanished_constants.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/plan_for_shapes.h"
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
  std::shared_ptr<const Roofline> roofline;  // null: the target is the host
  std::shared_ptr<Runtime> runtime;          // null: halftone's kernels
  const PrecisionOptions& precision;
  const TargetSpec& target;
};

std::string ConfigurationText(const PrecisionOptions& precision, const TargetSpec& target) {
  PrecisionOptions named = precision;
  const bool is_default = precision.precision_mode.empty() && precision.precision_mode_v2.empty();
  if (is_default) {
    named.precision_mode = EffectiveMode(precision, target).name;
  }
  return Summary(Candidate{.options = named}) + (is_default ? "; the mode is the default" : "");
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

RunResult Measure(const PlannedRun& run, const MeasureSettings& settings) {
  const auto& [graph, plan, dataset, compile, max_kept_bytes, roofline, runtime, precision,
               target] = run;
  NetworkMeasurer measurer(graph, dataset,
                           {.threads = settings.threads,
                            .quick_budget_s = settings.quick_budget_s,
                            .confirm_budget_s = settings.full_budget_s,
                            .seed = settings.seed,
                            .reject_overflow = false,
                            .metric = ChooseMetric(MetricArgumentsFor(graph, settings.metric)),
                            .needs_loss = false,
                            .max_kept_bytes = max_kept_bytes,
                            .max_values = kMostResampled,
                            .roofline = roofline,
                            .runtime = runtime,
                            .compile = compile});
  auto outcome = measurer.Measure(plan);
  if (const auto* rejection = std::get_if<Rejection>(&outcome)) {
    throw Error(ErrorKind::kUnsupported, WithAdvice(run, rejection->reason));
  }
  RunResult result;
  result.measurement = std::get<Measurement>(std::move(outcome));
  NameWorstSamples(dataset, result.measurement.accuracy);
  const MachineWatch watch;
  result.measurement.latency = measurer.Confirm(plan);
  result.measurement.confirmed = true;
  result.overflow =
      Describe(result.measurement.overflow, plan.record_overflow ? kAllFindings : kFirstFindings);
  if (plan.record_overflow && result.overflow.empty()) {
    result.overflow.emplace_back("no node overflowed or made NaN");
  }
  const Executable executable = Compile(graph, plan, compile);
  result.steps = executable.steps().size();
  result.tuned_steps =
      static_cast<std::size_t>(std::count_if(executable.steps().begin(), executable.steps().end(),
                                             [](const StepInfo& step) { return step.tuned; }));
  result.plan_digest = plan.Digest();
  result.reference_top1 = measurer.reference_top1();
  result.reference_latency_s = result.measurement.latency.anchor_median_s;
  result.sample_count = static_cast<std::int64_t>(dataset.size());
  result.representative = dataset.representative;
  result.shows_classes = MakesClasses(graph) || dataset.has_labels() ||
                         settings.metric.metric.find("top") != std::string::npos;
  result.warnings = plan.warnings;
  result.load_warning = watch.Warning();
  WarnOfHf32(graph, plan, result.warnings);
  result.warnings.insert(result.warnings.end(), dataset.notes.begin(), dataset.notes.end());
  result.judging = JudgingNotes(result.measurement.accuracy.outputs);
  for (const VanishedConstant& vanished : VanishedConstants(graph, plan)) {
    result.warnings.push_back(Describe(vanished) +
                              "; keep the node in float32 if what follows divides by it");
  }
  for (const ClippedWeight& clipped : Lower(graph, plan).clipped_weights) {
    result.warnings.push_back(Describe(clipped));
  }
  Trial names;
  FillNodeNames(graph, plan, names);
  result.kept_nodes = std::move(names.kept_nodes);
  result.low_precision_nodes = std::move(names.low_precision_nodes);
  return result;
}

}  // namespace

RunResult RunOnSamples(const Model& model, const TargetSpec& target,
                       const PrecisionOptions& precision, const Dataset& samples,
                       const MeasureSettings& settings) {
  CheckMeasureSettings(settings);
  CheckRuntimeArguments(settings.on);
  RequireMachineMemory(model.graph);
  const PrecisionPlan plan = ResolvePrecision(model.graph, precision, target);
  SharedConstants shared;
  const CompileOptions compile{.kernels = {}, .choices = KernelChoices(), .shared = &shared};
  const auto roofline = target.is_host() ? nullptr : std::make_shared<const Roofline>(target);
  RunResult result = Measure(
      {model.graph, plan, samples, compile, KeptBytesWithin(model.options.max_memory), roofline,
       OpenRuntime(model, {target.name, {}}, target, samples, settings).runtime, precision, target},
      settings);
  result.configuration = ConfigurationText(precision, target);
  return result;
}

RunResult RunConfiguration(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const DatasetOptions& data,
                           const MeasureSettings& settings, const KernelChoices& choices) {
  return RunShapeProfiles({&model, 1}, target, precision, data, settings, {&choices, 1}).front();
}

std::vector<RunResult> RunShapeProfiles(std::span<const Model> profiles, const TargetSpec& target,
                                        const PrecisionOptions& precision,
                                        const DatasetOptions& data, const MeasureSettings& settings,
                                        std::span<const KernelChoices> choices) {
  CheckMeasureSettings(settings);
  CheckRuntimeArguments(settings.on);
  for (const Model& profile : profiles) {
    RequireMachineMemory(profile.graph);
  }
  const Graph& first = profiles.front().graph;
  const PrecisionPlan plan = ResolvePrecision(first, precision, target);
  const std::vector<Dataset> datasets = LoadSamples(profiles, data);
  const auto roofline = target.is_host() ? nullptr : std::make_shared<const Roofline>(target);
  SharedConstants shared;
  const std::string configuration = ConfigurationText(precision, target);
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Graph& graph = profiles[i].graph;
    const PrecisionPlan here =
        i == 0 ? plan
               : PlanForShapes(first, plan, graph, ResolvePrecision(graph, precision, target));
    const CompileOptions compile{.kernels = {},
                                 .choices = i < choices.size() ? choices[i] : KernelChoices(),
                                 .shared = &shared};
    const auto measure = [&] {
      return Measure(
          {graph, here, datasets[i], compile, KeptBytesWithin(profiles[i].options.max_memory),
           roofline,
           OpenRuntime(profiles[i], {target.name, {}}, target, datasets[i], settings).runtime,
           precision, target},
          settings);
    };
    results.push_back(
        profiles.size() == 1
            ? measure()
            : WithContext(
                  [&] { return fmt::format("input shape '{}'", NameOfProfile(profiles, i)); },
                  measure));
    results.back().configuration = configuration;
    if (!results.back().representative) {
      results.back().warnings.emplace_back(
          "no --inputs: the samples are random, so accuracy figures say little about real data");
    }
  }
  return results;
}

}  // namespace halftone
