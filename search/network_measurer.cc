#include "search/network_measurer.h"

#include <chrono>
#include <memory>
#include <utility>

#include "search/placements.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/checked_run.h"

namespace halftone {

// An executable with buffers of its own, and a sample in the dtypes it wants.
struct NetworkMeasurer::Runner {
  Runner(const Executable& runs, const Sample& sample)
      : executable(&runs),
        workspace(runs.NewWorkspace()),
        inputs(runs.ConvertInputs(sample.inputs)),
        outputs(runs.NewOutputs()) {}

  const Executable* executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

struct NetworkMeasurer::OwningRunner {
  OwningRunner(Executable compiled, const Sample& sample)
      : executable(std::move(compiled)), runner(executable, sample) {}

  Executable executable;
  Runner runner;
};

NetworkMeasurer::NetworkMeasurer(const Graph& graph, const Dataset& dataset,
                                 const MeasureOptions& options)
    : graph_(graph),
      dataset_(dataset),
      options_(options),
      pool_(options.threads),
      anchor_(Compile(graph, ReferencePlan(graph), options.compile)) {
  if (dataset.samples.empty()) {
    throw Error(ErrorKind::kUsage, "cannot measure accuracy without samples: give --inputs");
  }
  Workspace workspace = anchor_.NewWorkspace();
  AccuracyAccumulator accumulator;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    reference_outputs_.push_back(RunSample(anchor_, workspace, i));
    accumulator.Add(OutputsOf(i, reference_outputs_.back()));
  }
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
  const Executable candidate = Compile(graph_, plan, options_.compile);
  auto judged = Judge(plan, candidate);
  if (auto* rejection = std::get_if<Rejection>(&judged)) {
    return std::move(*rejection);
  }
  Measurement measurement;
  measurement.accuracy = std::move(std::get<Judged>(judged).accuracy);
  measurement.overflow = std::move(std::get<Judged>(judged).overflow);
  measurement.peak_arena_bytes = static_cast<std::int64_t>(candidate.peak_arena_bytes());
  Runner candidate_runner(candidate, dataset_.samples.front());
  Runner anchor_runner(anchor_, dataset_.samples.front());
  measurement.latency = MeasureLatency(candidate_runner, anchor_runner,
                                       {.warm_up_s = 0.005,
                                        .min_rounds = 6,
                                        .budget_s = options_.quick_budget_s,
                                        .seed = options_.seed});
  return measurement;
}

Latency NetworkMeasurer::Confirm(const PrecisionPlan& plan) {
  const PrecisionPlan reference = ReferencePlan(graph_);
  // Everything stays alive until the end: freed memory would come back at the same address. Who is
  // allocated first alternates: the second of two equal networks is not always the faster one, but
  // often so for as long as both live.
  std::vector<std::unique_ptr<OwningRunner>> runners;
  std::vector<Latency> placements;
  for (int i = 0; i < kPlacements; ++i) {
    const bool candidate_first = i % 2 == 0;
    for (const bool candidate : {candidate_first, !candidate_first}) {
      runners.push_back(std::make_unique<OwningRunner>(
          Compile(graph_, candidate ? plan : reference, options_.compile),
          dataset_.samples.front()));
    }
    Runner& first = runners[runners.size() - 2]->runner;
    Runner& second = runners[runners.size() - 1]->runner;
    // Other seeds, so that not even the order of the rounds is that of the first measurement.
    placements.push_back(
        MeasureLatency(candidate_first ? first : second, candidate_first ? second : first,
                       {.budget_s = options_.confirm_budget_s / kPlacements,
                        .seed = options_.seed + 1 + static_cast<std::uint64_t>(i)}));
  }
  return PoolPlacements(placements, options_.seed);
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
  return outputs;
}

// Both run on the first sample: apart from subnormals, kernels take as long for any values.
Latency NetworkMeasurer::MeasureLatency(Runner& candidate, Runner& anchor,
                                        const PairedRoundsOptions& rounds) const {
  const TimedRuns timed_runs = [&](std::size_t which, std::int64_t runs) {
    Runner& runner = which == 0 ? candidate : anchor;
    std::chrono::duration<double> taken{};
    pool_.Run([&] {
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t run = 0; run < runs; ++run) {
        runner.executable->Run(runner.workspace, runner.inputs, runner.outputs);
      }
      taken = std::chrono::steady_clock::now() - start;
    });
    return taken.count();
  };
  return MeasurePairedRounds(1, timed_runs, rounds).front();
}

}  // namespace halftone
