#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "search/network_measurer.h"
#include "search/trial_nodes.h"
#include "src/api/check_settings.h"
#include "src/api/halftone.h"
#include "src/api/traced_samples.h"
#include "src/base/error.h"
#include "src/exec/program.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

// No kernel here rounds operands to HF32, and its exact format is not public.
void WarnOfHf32(const PrecisionPlan& plan, std::vector<std::string>& warnings) {
  const auto count =
      std::count_if(plan.nodes.begin(), plan.nodes.end(), [](const NodePrecision& node) {
        return node.impl_mode == ImplMode::kEnableHiFloat32Execution;
      });
  if (count > 0) {
    warnings.push_back(fmt::format(
        "{} {} to compute in HF32 on the target; here {} in float32, which is more accurate", count,
        count == 1 ? "node is" : "nodes are", count == 1 ? "it runs" : "they run"));
  }
}

}  // namespace

RunResult RunConfiguration(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const DatasetOptions& data,
                           const MeasureSettings& settings, const KernelChoices& choices) {
  CheckMeasureSettings(settings);
  const PrecisionPlan plan = ResolvePrecision(model.graph, precision, target);
  const Dataset dataset = LoadSamples(model, data);
  const CompileOptions compile{.kernels = {}, .choices = choices};
  NetworkMeasurer measurer(model.graph, dataset,
                           {.threads = settings.threads,
                            .quick_budget_s = settings.quick_budget_s,
                            .confirm_budget_s = settings.full_budget_s,
                            .seed = settings.seed,
                            .reject_overflow = false,
                            .compile = compile});
  auto outcome = measurer.Measure(plan);
  if (const auto* rejection = std::get_if<Rejection>(&outcome)) {
    throw Error(ErrorKind::kUnsupported, rejection->reason);
  }
  RunResult result;
  result.measurement = std::get<Measurement>(std::move(outcome));
  result.measurement.latency = measurer.Confirm(plan);
  result.measurement.confirmed = true;
  result.overflow =
      Describe(result.measurement.overflow, plan.record_overflow ? kAllFindings : kFirstFindings);
  if (plan.record_overflow && result.overflow.empty()) {
    result.overflow.emplace_back("no node overflowed or made NaN");
  }
  const Executable executable = Compile(model.graph, plan, compile);
  result.steps = executable.steps().size();
  result.tuned_steps =
      static_cast<std::size_t>(std::count_if(executable.steps().begin(), executable.steps().end(),
                                             [](const StepInfo& step) { return step.tuned; }));
  result.plan_digest = plan.Digest();
  result.reference_top1 = measurer.reference_top1();
  result.reference_latency_s = result.measurement.latency.anchor_median_s;
  result.sample_count = static_cast<std::int64_t>(dataset.samples.size());
  result.representative = dataset.representative;
  result.warnings = plan.warnings;
  WarnOfHf32(plan, result.warnings);
  result.warnings.insert(result.warnings.end(), dataset.notes.begin(), dataset.notes.end());
  for (const ClippedWeight& clipped : Lower(model.graph, plan).clipped_weights) {
    result.warnings.push_back(Describe(clipped));
  }
  Trial names;
  FillNodeNames(model.graph, plan, names);
  result.kept_nodes = std::move(names.kept_nodes);
  result.low_precision_nodes = std::move(names.low_precision_nodes);
  if (!dataset.representative) {
    result.warnings.emplace_back(
        "no --inputs: the samples are random, so accuracy figures say little about real data");
  }
  return result;
}

}  // namespace halftone
