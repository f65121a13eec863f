#include "search/network_measurer.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "search/compare_executables.h"
#include "search/pareto_front.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/checked_run.h"

namespace halftone {

namespace {

MeasureOptions Sharing(MeasureOptions options, SharedConstants& own) {
  options.compile.shared = options.compile.shared != nullptr ? options.compile.shared : &own;
  return options;
}

}  // namespace

NetworkMeasurer::NetworkMeasurer(const Graph& graph, const Dataset& dataset,
                                 const MeasureOptions& options)
    : graph_(graph),
      dataset_(dataset),
      options_(Sharing(options, shared_)),
      pool_(options.threads),
      anchor_(Compile(graph, ReferencePlan(graph), options_.compile)) {
  if (dataset.samples.empty()) {
    throw Error(ErrorKind::kUsage, "cannot measure accuracy without samples: give --inputs");
  }
  Workspace workspace = anchor_.NewWorkspace();
  AccuracyAccumulator accumulator;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    reference_outputs_.push_back(RunSample(anchor_, workspace, i));
    accumulator.Add(OutputsOf(i, reference_outputs_.back()));
  }
  reference_pass_s_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  reference_accuracy_ = accumulator.Finish();
}

std::variant<NetworkMeasurer::Judged, Rejection> NetworkMeasurer::Judge(
    const PrecisionPlan& plan, const Executable& candidate) const {
  CheckedRunner runner(graph_, candidate, anchor_);
  AccuracyAccumulator accumulator;
  bool finite_outputs = true;
  for (std::size_t i = 0; i < dataset_.samples.size(); ++i) {
    const Sample& sample = dataset_.samples[i];
    std::vector<Tensor> outputs;
    pool_.Run([&] { outputs = runner.Run(sample.inputs, sample.name); });
    if (const std::string other = runner.OtherCount(); !other.empty()) {
      return Rejection{fmt::format(
          "sample '{}': {}; float32 finds as many, so keep what stands before it in float32",
          sample.name, other)};
    }
    finite_outputs = finite_outputs && !runner.outputs_overflowed();
    if (options_.reject_overflow && runner.census().FirstNonFinite() != nullptr) {
      break;
    }
    accumulator.Add(OutputsOf(i, outputs));
  }
  OverflowCensus census = runner.census();
  const OverflowFinding* first = census.FirstNonFinite();
  if (first != nullptr && (options_.reject_overflow || !finite_outputs)) {
    const std::string found =
        options_.reject_overflow
            ? Describe(*first, census.samples)
            : Join(Describe(census, plan.record_overflow ? kAllFindings : kFirstFindings), "; ");
    return Rejection{found + "; float32 is finite there, so keep what is named in float32"};
  }
  return Judged{accumulator.Finish(), std::move(census)};
}

std::variant<Accuracy, Rejection> NetworkMeasurer::MeasureAccuracy(
    const PrecisionPlan& plan) const {
  auto judged = Judge(plan, Compile(graph_, plan, options_.compile));
  if (auto* rejection = std::get_if<Rejection>(&judged)) {
    return std::move(*rejection);
  }
  return std::get<Judged>(std::move(judged)).accuracy;
}

std::variant<Measurement, Rejection> NetworkMeasurer::Measure(const PrecisionPlan& plan) {
  return Race(plan, {});
}

std::variant<Measurement, Rejection> NetworkMeasurer::Race(const PrecisionPlan& plan,
                                                           const RacingBounds& bounds) {
  const Executable candidate = Compile(graph_, plan, options_.compile);
  auto judged = Judge(plan, candidate);
  if (auto* rejection = std::get_if<Rejection>(&judged)) {
    return std::move(*rejection);
  }
  Measurement measurement;
  measurement.accuracy = std::move(std::get<Judged>(judged).accuracy);
  measurement.overflow = std::move(std::get<Judged>(judged).overflow);
  measurement.peak_arena_bytes = static_cast<std::int64_t>(candidate.peak_arena_bytes());
  ExecutableRunner candidate_runner(candidate, dataset_.samples.front());
  ExecutableRunner anchor_runner(anchor_, dataset_.samples.front());
  measurement.latency =
      CompareRunners(candidate_runner, anchor_runner, pool_,
                     {.warm_up_s = 0.005,
                      .min_rounds = 6,
                      .give_up_above = bounds.RatioToBeat(ObjectivesOf(measurement).loss),
                      .budget_s = options_.quick_budget_s,
                      .seed = options_.seed});
  return measurement;
}

Latency NetworkMeasurer::Confirm(const PrecisionPlan& plan) {
  const PrecisionPlan reference = ReferencePlan(graph_);
  CompileOptions apart = options_.compile;
  apart.shared = nullptr;
  return CompareExecutables([&] { return Compile(graph_, plan, apart); },
                            [&] { return Compile(graph_, reference, apart); },
                            dataset_.samples.front(), pool_,
                            {.budget_s = options_.confirm_budget_s, .seed = options_.seed});
}

std::optional<double> NetworkMeasurer::reference_top1() const {
  const MetricValue* top1 = reference_accuracy_.Find("top1");
  return top1 == nullptr ? std::nullopt : std::optional(top1->mean);
}

SampleOutputs NetworkMeasurer::OutputsOf(std::size_t sample, std::span<const Tensor> actual) const {
  SampleOutputs outputs{.reference = reference_outputs_[sample], .actual = actual, .labels = {}};
  if (dataset_.has_labels()) {
    outputs.labels = dataset_.labels[sample];
  }
  return outputs;
}

std::vector<Tensor> NetworkMeasurer::RunSample(const Executable& executable, Workspace& workspace,
                                               std::size_t sample) const {
  const std::vector<Tensor> inputs = executable.ConvertInputs(dataset_.samples[sample].inputs);
  std::vector<Tensor> outputs = executable.NewOutputs();
  pool_.Run([&] { executable.Run(workspace, inputs, outputs); });
  if (const std::string other = executable.OtherCount(workspace); !other.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("sample '{}': {}", dataset_.samples[sample].name, other));
  }
  return outputs;
}

}  // namespace halftone
