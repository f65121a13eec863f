#include "src/aoe/kernel_stage.h"

#include <algorithm>

#include "src/base/text.h"

namespace halftone {
namespace {

// Of a budget in time: the search of modes, and the profile behind it, follow.
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

}  // namespace

KernelStage RunKernelStage(const AoeJob& job, const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const AoeHooks& hooks,
                           const TimeBudget& time) {
  const TimeSlice slice = time.Slice(kShareOfKernels);
  OperatorTuningOptions options{.data = job.data,
                                .measure = job.measure,
                                .budget_s = std::min(job.operator_budget_s, slice.left_s()),
                                .bank = job.bank.path};
  // Always: steps that are no nodes of the graph have no name in the result file.
  options.include = [&](const Node& node) {
    return !job.tune_ops || IsListed(*job.tune_ops, NamesOf(model.graph, node));
  };
  const auto end_progress = [&] {
    if (hooks.on_progress_end) {
      hooks.on_progress_end();
    }
  };
  KernelStage stage;
  try {
    stage.tuning = TuneOperators(model, target, precision, options,
                                 {.on_progress = hooks.on_operators, .stop_requested = [&] {
                                    return (hooks.stop_requested && hooks.stop_requested()) ||
                                           slice.left_s() <= 0;
                                  }});
  } catch (...) {
    end_progress();
    throw;
  }
  end_progress();
  for (const TunedOperator& op : stage.tuning.operators) {
    AddEntries(model, op.nodes, {.known = op.known, .tuned = op.timing.tuned()}, stage.entries);
  }
  for (const std::vector<std::string>& nodes : stage.tuning.undecided) {
    AddEntries(model, nodes, {}, stage.entries);
  }
  const std::string table = FormatOperatorTable(stage.tuning, hooks.columns);
  for (const std::string_view line : Split(table, '\n')) {
    if (!line.empty()) {
      hooks.print(line);
    }
  }
  return stage;
}

}  // namespace halftone
