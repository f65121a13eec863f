#include "src/aoe/kernel_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/api/load/traced_samples.h"
#include "src/api/operator_tuning.h"
#include "src/api/shape_profiles.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Share of a budget in time; the search of modes, and the profile after it, get the rest.
constexpr double kShareOfKernels = 0.25;

// Adds `entry`, with the name and type of the node, for each of `nodes` that the model has.
void AddEntries(const Model& model, const std::vector<std::string>& nodes, OperatorKernel entry,
                std::vector<OperatorKernel>& entries) {
  for (const std::string& name : nodes) {
    const auto node = std::find_if(model.graph.nodes.begin(), model.graph.nodes.end(),
                                   [&](const Node& of_graph) { return of_graph.name == name; });
    if (node != model.graph.nodes.end()) {
      entry.node = name;
      entry.ir_type = NamesOf(model.graph, *node).ir_type;
      entries.push_back(entry);
    }
  }
}

// Calls `body`, whose progress ends with it.
template <typename Body>
OperatorTuningResult WithProgress(const AoeHooks& hooks, const Body& body) {
  const auto end_progress = [&] {
    if (hooks.on_progress_end) {
      hooks.on_progress_end();
    }
  };
  OperatorTuningResult result;
  try {
    result = body();
  } catch (...) {
    end_progress();
    throw;
  }
  end_progress();
  return result;
}

void PrintTable(const OperatorTuningResult& result, const AoeHooks& hooks) {
  const std::string table = FormatOperatorTable(result, hooks.columns);
  for (const std::string_view line : Split(table, '\n')) {
    if (!line.empty()) {
      hooks.print(line);
    }
  }
}

}  // namespace

KernelStage RunKernelStage(const AoeJob& job, std::span<const Model> profiles,
                           const TargetSpec& target, const PrecisionOptions& precision,
                           const AoeHooks& hooks, const TimeBudget& time) {
  const TimeSlice slice = time.Slice(kShareOfKernels);
  const std::vector<Dataset> datasets = LoadSamples(profiles, job.data);
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(profiles, target, precision);
  const auto stopped = [&] { return hooks.stop_requested && hooks.stop_requested(); };
  const OperatorTunerHooks tuner_hooks{.on_progress = hooks.on_operators, .stop_requested = [&] {
                                         return stopped() || slice.left_s() <= 0;
                                       }};
  KernelStage stage;
  double ratios = 0;
  double samples = 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Model& model = profiles[i];
    OperatorTuningOptions options{
        .data = {},
        .measure = job.measure,
        .budget_s = std::min(job.operator_budget_s / static_cast<double>(profiles.size()),
                             slice.left_s() / static_cast<double>(profiles.size() - i)),
        .bank = job.bank.path,
        .measure_again = job.repeat};
    // Always: steps that are no nodes of the graph have no name in the result file.
    options.include = [&](const Node& node) {
      return !job.tune_ops || IsListed(*job.tune_ops, NamesOf(model.graph, node));
    };
    if (profiles.size() > 1) {
      hooks.print(fmt::format("input shape {}", NameOfProfile(profiles, i)));
    }
    const OperatorTuningResult tuning = WithProgress(hooks, [&] {
      return TuneOperators(model, datasets[i].Read(0), target, plans[i], options, tuner_hooks);
    });
    PrintTable(tuning, hooks);
    ratios += tuning.ratio() * static_cast<double>(datasets[i].size());
    samples += static_cast<double>(datasets[i].size());
    for (std::size_t o = 0; i == 0 && o < tuning.operators.size(); ++o) {
      const TunedOperator& op = tuning.operators[o];
      AddEntries(model, op.nodes, {.known = op.known, .tuned = op.timing.tuned()}, stage.entries);
    }
    for (std::size_t o = 0; i == 0 && o < tuning.undecided.size(); ++o) {
      AddEntries(model, tuning.undecided[o], {}, stage.entries);
    }
    if (stopped()) {
      break;
    }
  }
  stage.ratio = ratios / samples;
  return stage;
}

}  // namespace halftone
