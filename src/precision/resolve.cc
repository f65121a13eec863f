#include "src/precision/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/precision/column_phase.h"
#include "src/precision/engine_phase.h"
#include "src/precision/impl_mode_choice.h"
#include "src/precision/keep_dtype.h"
#include "src/precision/modes.h"

namespace halftone {
namespace {

// The keep_dtype line of each node, or none where the mode ignores the file.
std::vector<std::string> KeptLines(const Graph& graph, const PrecisionOptions& options,
                                   const PrecisionMode& mode, const ResolveSettings& settings,
                                   std::vector<std::string>& warnings) {
  if (options.keep_dtype.empty() || mode.keeps_origin) {
    if (!options.keep_dtype.empty()) {
      warnings.push_back(fmt::format("keep_dtype is ignored: {} keeps every dtype", mode.label()));
    }
    return std::vector<std::string>(graph.nodes.size());
  }
  KeepMatches matches = MatchKeepLines(graph, options.keep_dtype);
  if (!matches.unknown_names.empty()) {
    std::string message = UnknownKeepNames(graph, matches.unknown_names);
    if (!settings.unknown_keep_names_are_warnings) {
      throw Error(ErrorKind::kUsage, std::move(message));
    }
    warnings.push_back(std::move(message));
  }
  for (const std::string& name : matches.removed_names) {
    warnings.push_back(fmt::format(
        "keep_dtype line '{}' has no effect: the node was folded to a constant or does nothing",
        name));
  }
  for (const std::string& line : matches.unmatched_types) {
    warnings.push_back(fmt::format("keep_dtype line '{}' matches no node", line));
  }
  return std::move(matches.line_of_node);
}

std::vector<DType> OriginalDTypes(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<DType> dtypes;
  for (const ValueId id : ids) {
    dtypes.push_back(id != kNoValue   ? graph.value(id).type.dtype
                     : dtypes.empty() ? DType::kFloat32
                                      : dtypes.front());
  }
  return dtypes;
}

// A Cast of the model is not judged: it takes what its producer resolved to and keeps what it
// declares. A redundant one costs nothing; the executable drops it.
NodePrecision ResolveCast(const Node& node, const ResolvedValues& values) {
  NodePrecision precision;
  for (const ValueId input : node.inputs) {
    precision.inputs.push_back(values.dtypes[static_cast<std::size_t>(input)]);
  }
  for (const ValueId output : node.outputs) {
    precision.outputs.push_back(values.dtypes[static_cast<std::size_t>(output)]);
  }
  precision.reason = fmt::format("cast of the model to {}", NameOf(precision.outputs.at(0)));
  return precision;
}

// A mixed mode would lower the operator, but its library has no 16-bit column at all.
void WarnIfWhiteWithoutHalf(const NodeToResolve& task, const LibraryOp& op,
                            std::vector<std::string>& warnings) {
  const auto is_half = [](DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  };
  const auto has_half = [&](const std::vector<DType>& dtypes) {
    return std::any_of(dtypes.begin(), dtypes.end(), is_half);
  };
  const auto is_float32 = [&](ValueId id) {
    return id != kNoValue && task.graph.value(id).type.dtype == DType::kFloat32;
  };
  if (!task.mode.mixed_dtype || op.policy != MixPolicy::kWhite || !task.kept_by.empty() ||
      std::none_of(task.node.inputs.begin(), task.node.inputs.end(), is_float32) ||
      std::any_of(op.inputs.begin(), op.inputs.end(), has_half) ||
      std::any_of(op.outputs.begin(), op.outputs.end(), has_half)) {
    return;
  }
  warnings.push_back(
      fmt::format("node '{}' ({}) is on the white list but has no 16-bit "
                  "implementation on {}; it stays float32",
                  task.node.name, task.ir_type, task.target.name));
}

NodePrecision ResolveNode(const NodeToResolve& task, const ImplModeRequests& requests,
                          const ResolvedValues& values, std::vector<std::string>& warnings) {
  if (task.node.op == OpKind::kCast) {
    return ResolveCast(task.node, values);
  }
  NodePrecision precision;
  const EngineChoice choice = ChooseEngine(task);
  precision.engine = choice.engine;
  if (choice.engine == Engine::kAiCpu) {
    precision.inputs = OriginalDTypes(task.graph, task.node.inputs);
    precision.outputs = OriginalDTypes(task.graph, task.node.outputs);
    precision.reason = fmt::format("AiCpu in the original dtypes: {}", choice.ai_core_refusal);
    return precision;
  }
  ColumnChoice column = ChooseColumn(task, *choice.op, values);
  precision.inputs = std::move(column.inputs);
  precision.outputs = std::move(column.outputs);
  precision.reason = std::move(column.reason);
  precision.impl_mode =
      ChooseImplMode(requests, task.node, task.ir_type, *choice.op, precision, warnings);
  WarnIfWhiteWithoutHalf(task, *choice.op, warnings);
  return precision;
}

}  // namespace

PrecisionPlan ResolvePrecision(const Graph& graph, const PrecisionOptions& options,
                               const TargetSpec& target, const ResolveSettings& settings) {
  PrecisionPlan plan;
  const PrecisionMode& mode = EffectiveMode(options, target);
  const ImplModeRequests requests = CheckImplModeOptions(options, plan.warnings);
  const std::vector<std::string> kept = KeptLines(graph, options, mode, settings, plan.warnings);
  const auto unmatched = UnmatchedImplModeNames(graph, options);
  plan.warnings.insert(plan.warnings.end(), unmatched.begin(), unmatched.end());

  ResolvedValues values = OriginalValues(graph);
  plan.nodes.reserve(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const NodeToResolve task{.graph = graph,
                             .node = node,
                             .ir_type = IrTypeOf(graph, node),
                             .mode = mode,
                             .target = target,
                             .kept_by = kept[n]};
    plan.nodes.push_back(ResolveNode(task, requests, values, plan.warnings));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) {
        values.dtypes[static_cast<std::size_t>(node.outputs[i])] = plan.nodes.back().outputs[i];
      }
    }
  }
  return plan;
}

}  // namespace halftone
