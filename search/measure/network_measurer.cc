#include "search/measure/network_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "search/measure/sample_jobs.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/checked_run.h"
#include "src/exec/vanished_constants.h"

namespace halftone {

namespace {

MeasureOptions Sharing(MeasureOptions options, SharedConstants& own) {
  options.compile.shared = options.compile.shared != nullptr ? options.compile.shared : &own;
  return options;
}

Executable TimedCompile(const Graph& graph, const CompileOptions& options, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  Executable anchor = Compile(graph, ReferencePlan(graph), options);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return anchor;
}

std::vector<std::string> OutputNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId output : graph.outputs) {
    names.push_back(graph.value(output).name);
  }
  return names;
}

// Why the outputs of a runtime cannot be compared with those of float32; empty: they can.
std::string WhyNotJudged(const Graph& graph, std::span<const Tensor> reference,
                         std::span<const Tensor> actual) {
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const std::string& name = graph.value(graph.outputs[i]).name;
    if (reference[i].shape() != actual[i].shape()) {
      return fmt::format("output '{}' has shape {}, in float32 {}", name,
                         actual[i].shape().ToString(), reference[i].shape().ToString());
    }
    if (IsFloating(reference[i].dtype()) && SumsOf(reference[i], actual[i]).broken) {
      return fmt::format("output '{}' has an infinity or NaN where float32 has none", name);
    }
  }
  return {};
}

// "; node 'clip' before it reads constant 'eps' ..., where it is 0"; empty: nothing vanished.
std::string CauseOf(const Graph& graph, const PrecisionPlan& plan, const OverflowFinding& finding) {
  const auto node = std::ranges::find(graph.nodes, finding.node, &Node::name);
  if (node == graph.nodes.end()) {
    return {};
  }
  const auto vanished =
      VanishedBefore(graph, plan, static_cast<NodeId>(node - graph.nodes.begin()));
  return vanished.empty()
             ? ""
             : fmt::format("{}{}; keep that node, too", kLikelyCause, Describe(vanished.front()));
}

}  // namespace

NetworkMeasurer::NetworkMeasurer(const Graph& graph, const Dataset& dataset,
                                 const MeasureOptions& options)
    : graph_(graph),
      dataset_(dataset),
      options_(Sharing(options, shared_)),
      pool_(options.threads),
      anchor_(TimedCompile(graph, options_.compile, compile_s_)),
      reference_outputs_(StepTypes(anchor_.output_types(), dataset.steps_each), dataset.size(),
                         options.reference_beside ? 0 : options.max_kept_bytes),
      output_metric_(OutputMetricOf(graph, options.metric)) {
  if (dataset.empty()) {
    throw Error(ErrorKind::kUsage, "cannot measure accuracy without samples: give --inputs");
  }
  user_metric_ = MakeUserMetric(options_.metric, dataset, OutputNames(graph));
  compile_s_ += options_.latency->BuildAnchor(graph);
  if (!Beside()) {
    MeasureReference();
  }
}

void NetworkMeasurer::MeasureReference() {
  const auto start = std::chrono::steady_clock::now();
  const SampleJobs jobs(pool_, dataset_.size(), reference_arena_bytes());
  std::vector<Workspace> workspaces(jobs.count());
  std::vector<std::vector<Tensor>> outputs(jobs.count());
  std::vector<SampleMetrics> metrics(jobs.count());
  AccuracyAccumulator accumulator(options_.max_values, OwnMetric());
  for (Workspace& workspace : workspaces) {
    workspace = anchor_.NewWorkspace();
  }
  bool ended = false;
  jobs.Run(
      [&](std::size_t job, std::size_t i) {
        outputs[job] = RunAnchor(workspaces[job], dataset_.Read(i));
        reference_outputs_.Store(i, outputs[job]);
        metrics[job] = MetricsOfSample(i, outputs[job], outputs[job]);
      },
      [&](std::size_t job, std::size_t i) {
        if (user_metric_ != nullptr) {
          user_metric_->TakeReference(i, outputs[job]);
          user_metric_->TakeOutputs(i, outputs[job]);
        }
        accumulator.Add(metrics[job]);
        ended = !GoesOn(MeasurePass::kReference, i + 1);
        return !ended;
      });
  reference_pass_s_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  reference_accuracy_ = accumulator.Finish();
  if (ended) {
    return;
  }
  if (const std::string why = FinishAccuracy(reference_accuracy_, dataset_.size()); !why.empty()) {
    throw Error(ErrorKind::kUsage, why);
  }
}

std::string NetworkMeasurer::FinishAccuracy(Accuracy& accuracy, std::size_t samples) const {
  NameOutputs(graph_, accuracy.outputs);
  if (user_metric_ != nullptr && samples < dataset_.size()) {
    return {};
  }
  const auto why_undefined = [&] {
    const auto nothing = std::ranges::find(accuracy.outputs, 0, &OutputCounts::compared);
    return nothing != accuracy.outputs.end() && options_.metric.is_default()
               ? JudgingNotes({&*nothing, 1}).front()
               : WhyUndefined(options_.metric, dataset_.has_labels());
  };
  if (options_.metric.is_default()) {
    return accuracy.Find(options_.metric.name) != nullptr || !options_.needs_loss ? ""
                                                                                  : why_undefined();
  }
  if (user_metric_ != nullptr) {
    accuracy.metrics.push_back(user_metric_->Run());
  }
  accuracy.loss = LossIn(accuracy, options_.metric);
  return accuracy.loss ? "" : why_undefined();
}

const Executable& NetworkMeasurer::EveryValue() const {
  std::call_once(every_value_once_, [this] {
    CompileOptions each_alone = options_.compile;
    each_alone.fuse = false;
    every_value_.emplace(Compile(graph_, ReferencePlan(graph_), each_alone));
  });
  return *every_value_;
}

// The sample that a job runs at the moment, and what it finds.
struct NetworkMeasurer::JudgingJob {
  std::unique_ptr<CheckedRunner> runner;
  Sample sample;
  std::optional<Workspace> workspace;  // of the reference
  std::vector<Tensor> outputs;
  SampleMetrics metrics;
  SampleMetrics of_reference;  // if it runs beside
  bool overflowed = false;     // at an output
};

void NetworkMeasurer::RunSample(std::size_t index, JudgingJob& job) const {
  job.sample = dataset_.Read(index);
  job.overflowed = false;
  job.outputs = RunSteps(
      job.sample, dataset_.state, [&](std::span<const Tensor> inputs) -> std::vector<Tensor> {
        std::vector<Tensor> made = job.runner->Run(inputs, job.sample.name);
        job.overflowed = job.overflowed || job.runner->outputs_overflowed();
        return job.runner->OtherCount().empty() ? std::move(made) : std::vector<Tensor>();
      });
  if (!job.runner->OtherCount().empty()) {
    return;
  }
  const std::vector<Tensor> exact = ReferenceOf(index, job.sample, job.workspace);
  job.metrics = MetricsOfSample(index, exact, job.outputs);
  if (Beside()) {
    job.of_reference = MetricsOfSample(index, exact, exact);
  }
}

std::optional<Rejection> NetworkMeasurer::RejectionBy(const OverflowCensus& census,
                                                      const PrecisionPlan& plan,
                                                      bool finite_outputs) const {
  const OverflowFinding* first = census.FirstNonFinite();
  if (first == nullptr || (finite_outputs && !options_.reject_overflow)) {
    return std::nullopt;
  }
  const std::string found =
      options_.reject_overflow
          ? Describe(*first, census.samples)
          : Join(Describe(census, plan.record_overflow ? kAllFindings : kFirstFindings), "; ");
  return Rejection{found + CauseOf(graph_, plan, *first) + std::string(kKeepNamed)};
}

std::variant<NetworkMeasurer::Judged, Rejection> NetworkMeasurer::JudgeOnKernels(
    const PrecisionPlan& plan, const Executable& candidate) const {
  const bool reference_again = reference_outputs_.kept() < dataset_.size();
  const SampleJobs jobs(pool_, dataset_.size(),
                        static_cast<std::int64_t>(candidate.peak_arena_bytes()) +
                            (reference_again ? reference_arena_bytes() : 0));
  std::vector<JudgingJob> judging(jobs.count());
  for (JudgingJob& job : judging) {
    job.runner = std::make_unique<CheckedRunner>(
        graph_, candidate, [this]() -> const Executable& { return EveryValue(); });
  }
  CensusTally tally;
  AccuracyAccumulator accumulator(options_.max_values, OwnMetric());
  AccuracyAccumulator reference(options_.max_values, OwnMetric());
  bool finite_outputs = true;
  std::size_t done = 0;
  std::string other_count;
  const auto take = [&](std::size_t j, std::size_t i) {
    JudgingJob& job = judging[j];
    if (const std::string other = job.runner->OtherCount(); !other.empty()) {
      other_count = fmt::format(
          "sample '{}': {}; float32 finds as many, so keep what stands before it in float32",
          job.sample.name, other);
      return false;
    }
    finite_outputs = finite_outputs && !job.overflowed;
    tally.Add(job.runner->TakeTally());
    if (options_.reject_overflow && tally.census().FirstNonFinite() != nullptr) {
      return false;
    }
    if (user_metric_ != nullptr) {
      user_metric_->TakeOutputs(i, job.outputs);
    }
    accumulator.Add(job.metrics);
    if (Beside()) {
      reference.Add(job.of_reference);
    }
    done = i + 1;
    return GoesOn(MeasurePass::kPlan, i + 1);
  };
  jobs.Run([&](std::size_t j, std::size_t i) { RunSample(i, judging[j]); }, take);
  if (!other_count.empty()) {
    return Rejection{other_count};
  }
  OverflowCensus census = tally.census();
  if (auto rejection = RejectionBy(census, plan, finite_outputs)) {
    return *std::move(rejection);
  }
  Judged judged{accumulator.Finish(), std::move(census)};
  if (Beside()) {
    judged.reference = reference.Finish();
    if (const std::string why = FinishAccuracy(judged.reference, done); !why.empty()) {
      throw Error(ErrorKind::kUsage, why);
    }
  }
  if (const std::string why = FinishAccuracy(judged.accuracy, done); !why.empty()) {
    return Rejection{why};
  }
  return judged;
}

std::variant<NetworkMeasurer::Judged, Rejection> NetworkMeasurer::Judge(CompiledPlan& plan) const {
  AccuracyAccumulator accumulator(options_.max_values, OwnMetric());
  std::optional<Workspace> workspace;
  std::optional<Rejection> rejection;
  std::size_t done = 0;
  const auto ran =
      options_.latency->Run(plan.plan(), dataset_, [&](std::size_t i, std::vector<Tensor> outputs) {
        const std::vector<Tensor> reference = reference_outputs_.Keeps(i)
                                                  ? reference_outputs_.Of(i)
                                                  : ReferenceOf(i, dataset_.Read(i), workspace);
        if (const std::string why = WhyNotJudged(graph_, reference, outputs); !why.empty()) {
          rejection = Rejection{fmt::format("sample '{}': {}", dataset_.NameOf(i), why)};
          return false;
        }
        if (user_metric_ != nullptr) {
          user_metric_->TakeOutputs(i, outputs);
        }
        accumulator.Add(MetricsOfSample(i, reference, outputs));
        done = i + 1;
        return GoesOn(MeasurePass::kPlan, i + 1);
      });
  if (const auto* refused = std::get_if<Rejection>(&ran)) {
    return *refused;
  }
  if (rejection) {
    return *std::move(rejection);
  }
  if (std::get<RuntimeOutputs>(ran) == RuntimeOutputs::kNone) {
    return JudgeOnKernels(plan.plan(), plan.executable());
  }
  Judged judged{.accuracy = accumulator.Finish(), .overflow = {}, .own_outputs = true};
  if (const std::string why = FinishAccuracy(judged.accuracy, done); !why.empty()) {
    return Rejection{why};
  }
  return judged;
}

// Trouble of what runs plans is a Rejection here: a front that was measured is not lost for it.
std::variant<Accuracy, Rejection> NetworkMeasurer::MeasureAccuracy(
    const PrecisionPlan& plan) const {
  try {
    CompiledPlan candidate(graph_, plan, options_.compile);
    auto judged = Judge(candidate);
    if (auto* rejection = std::get_if<Rejection>(&judged)) {
      return std::move(*rejection);
    }
    return std::get<Judged>(std::move(judged)).accuracy;
  } catch (const Error& error) {
    if (!options_.latency->runs_plans() ||
        (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kIo)) {
      throw;
    }
    return Rejection{error.what()};
  }
}

std::variant<Measurement, Rejection> NetworkMeasurer::MeasureWithoutLatency(CompiledPlan& plan) {
  auto outcome = Judge(plan);
  if (auto* rejection = std::get_if<Rejection>(&outcome)) {
    return std::move(*rejection);
  }
  auto& judged = std::get<Judged>(outcome);
  if (Beside()) {
    reference_accuracy_ = std::move(judged.reference);
  }
  Measurement measurement;
  measurement.accuracy = std::move(judged.accuracy);
  measurement.overflow = std::move(judged.overflow);
  if (options_.latency->runs_plans()) {
    measurement.runtime = RuntimeRun{.own_outputs = judged.own_outputs};
    TakeFacts(plan.plan(), measurement);
  } else {
    measurement.peak_arena_bytes = static_cast<std::int64_t>(plan.executable().peak_arena_bytes());
  }
  return measurement;
}

void NetworkMeasurer::TakeFacts(const PrecisionPlan& plan, Measurement& measurement) const {
  if (std::optional<RuntimeRun> facts = options_.latency->FactsOf(plan)) {
    facts->own_outputs = measurement.runtime->own_outputs;
    measurement.runtime = std::move(facts);
  }
}

std::variant<Measurement, Rejection> NetworkMeasurer::MeasureWithoutLatency(
    const PrecisionPlan& plan) {
  CompiledPlan candidate(graph_, plan, options_.compile);
  return MeasureWithoutLatency(candidate);
}

std::variant<Measurement, Rejection> NetworkMeasurer::Measure(const PrecisionPlan& plan) {
  return Race(plan, {});
}

std::variant<Measurement, Rejection> NetworkMeasurer::Race(const PrecisionPlan& plan,
                                                           const RacingBounds& bounds) {
  CompiledPlan candidate(graph_, plan, options_.compile);
  auto outcome = MeasureWithoutLatency(candidate);
  if (std::holds_alternative<Rejection>(outcome)) {
    return outcome;
  }
  auto& measurement = std::get<Measurement>(outcome);
  auto latency =
      options_.latency->Race(Timed(), candidate, bounds.RatioToBeat(InaccuracyOf(measurement)));
  if (auto* rejection = std::get_if<Rejection>(&latency)) {
    return std::move(*rejection);
  }
  measurement.latency = std::get<Latency>(std::move(latency));
  TakeFacts(plan, measurement);
  return outcome;
}

TimedNetwork NetworkMeasurer::Timed() const {
  return {.setup = {graph_, dataset_, pool_, options_.compile},
          .anchor = anchor_,
          .anchor_compile_s = compile_s_,
          .quick_budget_s = options_.quick_budget_s,
          .quick_most_s = options_.quick_most_s,
          .confirm_budget_s = options_.confirm_budget_s,
          .seed = options_.seed};
}

Latency NetworkMeasurer::Confirm(const PrecisionPlan& plan) {
  return ConfirmUntil(plan, {});
}

Latency NetworkMeasurer::ConfirmUntil(const PrecisionPlan& plan,
                                      const std::function<bool()>& stop_requested) {
  return options_.latency->Confirm(Timed(), plan, stop_requested);
}

std::optional<Latency> NetworkMeasurer::ConfirmWithin(const PrecisionPlan& plan,
                                                      const Latency& first,
                                                      const ConfirmTime& time) {
  return options_.latency->ConfirmWithin(Timed(), plan, first, time);
}

std::optional<double> NetworkMeasurer::reference_top1() const {
  const MetricValue* top1 = reference_accuracy_.Find("top1");
  return top1 == nullptr ? std::nullopt : std::optional(top1->mean);
}

SampleMetrics NetworkMeasurer::MetricsOfSample(std::size_t sample,
                                               std::span<const Tensor> reference,
                                               std::span<const Tensor> actual) const {
  return MetricsOf(dataset_.OutputsOf(sample, reference, actual), OwnMetric());
}

std::vector<Tensor> NetworkMeasurer::RunAnchor(Workspace& workspace, const Sample& sample) const {
  return RunSteps(sample, dataset_.state, [&](std::span<const Tensor> given) {
    const std::vector<Tensor> inputs = anchor_.ConvertInputs(given);
    std::vector<Tensor> outputs = anchor_.NewOutputs();
    anchor_.Run(workspace, inputs, outputs);
    if (const std::string other = anchor_.OtherCount(workspace); !other.empty()) {
      throw Error(ErrorKind::kUnsupported, fmt::format("sample '{}': {}", sample.name, other));
    }
    return outputs;
  });
}

std::vector<Tensor> NetworkMeasurer::ReferenceOf(std::size_t index, const Sample& sample,
                                                 std::optional<Workspace>& workspace) const {
  if (reference_outputs_.Keeps(index)) {
    return reference_outputs_.Of(index);
  }
  if (!workspace) {
    workspace = anchor_.NewWorkspace();
  }
  return RunAnchor(*workspace, sample);
}

}  // namespace halftone
