#include "src/api/report/chosen_details.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "search/explain/error_growth.h"
#include "search/explain/kept_operators.h"
#include "search/measure/step_times.h"
#include "search/trial/choose.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/ir/ir_type.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

constexpr std::size_t kWorstSamples = 10;  // a reader looks at a handful
constexpr std::size_t kErrorSamples = 4;   // with the worst one; as many as probes have at least
constexpr double kTimingBudget_s = 1.0;
constexpr int kFewestTimedRounds = StepTimesOptions().fewest_rounds + 1;

std::vector<Tensor> RunSample(const Executable& executable, Workspace& workspace,
                              const Sample& sample, const ThreadPool& pool) {
  const std::vector<Tensor> inputs = executable.ConvertInputs(sample.inputs);
  std::vector<Tensor> outputs = executable.NewOutputs();
  pool.Run([&] { executable.Run(workspace, inputs, outputs); });
  return outputs;
}

double NearnessOf(const SampleAtPoint& sample) {
  return sample.sqnr_db ? *sample.sqnr_db : sample.agreement.value_or(1);
}

// The samples with the least SQNR, or agreement where no output is floating, of those on which it
// is defined, the worst first; of equal ones the first.
std::vector<SampleAtPoint> WorstSamples(const Dataset& data, const Executable& executable,
                                        const Executable& reference, const ThreadPool& pool,
                                        bool by_agreement) {
  std::vector<SampleAtPoint> samples;
  Workspace workspace = executable.NewWorkspace();
  Workspace reference_workspace = reference.NewWorkspace();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sample sample = data.Read(i);
    const std::vector<Tensor> exact = RunSample(reference, reference_workspace, sample, pool);
    const std::vector<Tensor> actual = RunSample(executable, workspace, sample, pool);
    const SampleView view(data.steps_each == 0
                              ? data.OutputsOf(i, exact, actual)
                              : SampleOutputs{.reference = exact, .actual = actual, .labels = {}});
    const auto value = FindMetric(by_agreement ? "agreement" : "sqnr_db")->of_sample(view);
    if (!value) {
      continue;
    }
    const auto place = std::ranges::upper_bound(samples, *value, {}, NearnessOf);
    if (place == samples.end() && samples.size() == kWorstSamples) {
      continue;
    }
    samples.insert(place,
                   {.index = static_cast<std::int64_t>(i),
                    .name = sample.name,
                    .sqnr_db = by_agreement ? std::nullopt : value,
                    .top1_agreement = FindMetric("top1_agreement")->of_sample(view),
                    .top1 = data.has_labels() ? FindMetric("top1")->of_sample(view) : std::nullopt,
                    .agreement = by_agreement ? value : std::nullopt});
    samples.resize(std::min(samples.size(), kWorstSamples));
  }
  return samples;
}

// The worst one, and others spread over the set.
std::vector<Sample> SamplesToLookAt(const Dataset& data, const std::vector<SampleAtPoint>& worst) {
  std::vector<std::size_t> indices;
  if (!worst.empty()) {
    indices.push_back(static_cast<std::size_t>(worst.front().index));
  }
  for (std::size_t i = 0; i < kErrorSamples && indices.size() < kErrorSamples; ++i) {
    const std::size_t index = i * data.size() / kErrorSamples;
    if (std::ranges::find(indices, index) == indices.end()) {
      indices.push_back(index);
    }
  }
  std::vector<Sample> samples;
  samples.reserve(indices.size());
  for (const std::size_t index : indices) {
    samples.push_back(data.Read(index));
  }
  return samples;
}

double SecondsLeft(const ReportSources& sources) {
  return sources.seconds_left ? std::max(0.0, sources.seconds_left())
                              : std::numeric_limits<double>::infinity();
}

// Steps between nodes that are no casts: changes of the layout, copies.
void AddOtherSteps(const std::vector<StepTimes>& times, const std::set<std::string>& node_names,
                   ChosenDetails& details) {
  std::set<std::string> others;
  for (const StepTimes& of : times) {
    for (const auto& [name, time] : of.nodes) {
      if (!node_names.contains(name)) {
        others.insert(name);
      }
    }
  }
  for (const std::string& name : others) {
    details.nodes.push_back({.node = name, .op = "step of the executable", .dtype = "-"});
  }
}

// Of the anchor and of the plan, in shares of a run of the anchor; empty: it was stopped.
std::vector<StepTimes> TimesOf(const ReportSources& sources, const PrecisionPlan& plan,
                               const ThreadPool& pool) {
  const Graph& graph = sources.model.graph;
  const PrecisionPlan plans[] = {sources.latency.AnchorFor(graph).plan, plan};
  return sources.latency.TimeSteps(
      {graph, sources.data, pool, sources.compile}, plans,
      {.budget_s = std::min(kTimingBudget_s, SecondsLeft(sources)), .seed = sources.options.seed},
      sources.stop_requested);
}

// For each node those that make its operands, and the steps in which these run.
void AddInputs(const Graph& graph, std::vector<NodeAtPoint>& nodes) {
  std::map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place_of.emplace(nodes[i].node, i);
    for (const std::string& part : nodes[i].parts) {
      place_of.emplace(part, i);
    }
  }
  const std::vector<NodeId> producers = ProducersOf(graph);
  // Producers that are no steps of their own, such as those that only change the shape, are looked
  // through.
  std::vector<std::set<std::size_t>> makers(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    std::set<std::size_t> of_operands;
    for (const ValueId input : graph.nodes[n].inputs) {
      const NodeId producer =
          input == kNoValue ? kNoNode : producers[static_cast<std::size_t>(input)];
      if (producer != kNoNode) {
        const auto& made = makers[static_cast<std::size_t>(producer)];
        of_operands.insert(made.begin(), made.end());
      }
    }
    const auto place = place_of.find(graph.nodes[n].name);
    if (place == place_of.end()) {
      makers[n] = std::move(of_operands);
      continue;
    }
    makers[n] = {place->second};
    std::vector<std::size_t>& inputs = nodes[place->second].inputs;
    for (const std::size_t maker : of_operands) {
      if (maker != place->second && std::ranges::find(inputs, maker) == inputs.end()) {
        inputs.push_back(maker);
      }
    }
  }
}

void AddTimes(const ReportSources& sources, const PrecisionPlan& plan, const ThreadPool& pool,
              ChosenDetails& details) {
  const std::vector<StepTimes> times = TimesOf(sources, plan, pool);
  if (times.size() != 2) {
    return;  // it was stopped
  }
  std::set<std::string> node_names;
  for (const Node& node : sources.model.graph.nodes) {
    node_names.insert(node.name);
  }
  AddOtherSteps(times, node_names, details);
  // A part of the step may name a step of its own in the other plan.
  const auto time_of = [](const StepTimes& of, const NodeAtPoint& node) {
    double time = 0;
    std::set<std::string> names(node.parts.begin(), node.parts.end());
    names.insert(node.node);
    for (const std::string& name : names) {
      const auto found = of.nodes.find(name);
      time += found == of.nodes.end() ? 0.0 : found->second;
    }
    return time;
  };
  for (NodeAtPoint& node : details.nodes) {
    node.float32_time = time_of(times[0], node);
    node.time = time_of(times[1], node);
  }
  details.timed = true;
  details.predicted = !sources.latency.is_timed();
  details.casts = std::ssize(times[1].casts);
  for (const auto& [elements, time] : times[1].casts) {
    details.cast_time += time;
  }
  details.total_time = times[1].total;
}

}  // namespace

ChosenDetails DetailsOf(const ReportSources& sources, const FrontPoint& point) {
  const Graph& graph = sources.model.graph;
  const Trial& trial = point.trial;
  const PrecisionPlan plan = ResolvePrecision(graph, trial.candidate.options, sources.target);
  const double compile_s = sources.costs.compile_s;
  const double both_s = 2 * sources.costs.pass_s / static_cast<double>(sources.data.size());
  if (SecondsLeft(sources) < 2 * compile_s + 2 * sources.costs.pass_s) {
    ChosenDetails none;
    none.left_out = {"worst samples", "errors of operators", "times of operators"};
    return none;
  }
  const Executable executable = Compile(graph, plan, sources.compile);
  const Executable reference = Compile(graph, ReferencePlan(graph), sources.compile);
  const ThreadPool pool(sources.options.measure.threads);
  ChosenDetails details;
  details.bad_below_db = sources.options.constraints.min_sqnr_db.value_or(kDefaultWorstSqnrDb);
  details.worst_samples =
      WorstSamples(sources.data, executable, reference, pool, AllOutputsDiscrete(graph));
  constexpr double kComparing = 2;  // a run that compares every result, in runs
  if (SecondsLeft(sources) < compile_s + kComparing * kErrorSamples * both_s) {
    details.left_out = {"errors of operators", "times of operators"};
    return details;
  }
  const std::vector<Sample> samples = SamplesToLookAt(sources.data, details.worst_samples);
  for (const Sample& sample : samples) {
    details.error_samples.push_back(sample.name);
  }
  std::map<std::string, std::size_t> node_ids;
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    node_ids.emplace(graph.nodes[id].name, id);
  }
  CompileOptions each_alone = sources.compile;  // what the plan keeps apart has a partner there
  each_alone.fuse = false;
  const Executable every_value = Compile(graph, ReferencePlan(graph), each_alone);
  for (const NodeError& error : ErrorGrowth(graph, executable, every_value, samples, pool)) {
    const auto found = node_ids.find(error.node);
    if (found == node_ids.end()) {
      continue;
    }
    details.nodes.push_back(
        {.node = error.node,
         .op = std::string(IrTypeOf(graph, graph.nodes[found->second])),
         .dtype = std::string(NameOf(plan.nodes[found->second].compute_dtype())),
         .sqnr_db =
             error.relative_power ? std::optional(DecibelsOf(*error.relative_power)) : std::nullopt,
         .broken = error.broken,
         .parts = error.parts});
    const auto finding = point.findings.find(error.node);
    if (finding != point.findings.end()) {
      details.nodes.back().finding = finding->second;
    }
  }
  AddInputs(graph, details.nodes);
  if (SecondsLeft(sources) < 2 * compile_s + kFewestTimedRounds * both_s) {
    details.left_out = {"times of operators"};
    return details;
  }
  AddTimes(sources, plan, pool, details);
  return details;
}

}  // namespace halftone
