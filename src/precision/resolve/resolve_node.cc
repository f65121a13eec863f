#include "src/precision/resolve/resolve_node.h"

#include <fmt/format.h>

#include <algorithm>

namespace halftone {
namespace {

std::vector<DType> OriginalDTypes(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<DType> dtypes;
  dtypes.reserve(ids.size());
  for (const ValueId id : ids) {
    dtypes.push_back(id != kNoValue   ? graph.value(id).type.dtype
                     : dtypes.empty() ? DType::kFloat32
                                      : dtypes.front());
  }
  return dtypes;
}

// A Cast of the model is not judged: it takes what its producer resolved to and keeps what it
// declares. A redundant one costs nothing; the executable drops it.
NodePrecision ResolveCast(const NodeToResolve& task, const ResolvedValues& values) {
  const Node& node = task.node;
  NodePrecision precision;
  for (const ValueId input : node.inputs) {
    precision.inputs.push_back(values.dtypes[static_cast<std::size_t>(input)]);
  }
  for (const ValueId output : node.outputs) {
    precision.outputs.push_back(values.dtypes[static_cast<std::size_t>(output)]);
  }
  CheckCustomCast(task, precision.inputs.at(0).dtype(), precision.outputs.at(0).dtype());
  precision.reason = fmt::format("cast of the model to {}", NameOf(precision.outputs.at(0)));
  return precision;
}

// Quantised data has no other precision to choose, and each operand its own type: AI Core or not,
// the types are those of the model. Floats around it are float32 (src/ir/op_table.h).
NodePrecision ResolveQuantized(const NodeToResolve& task, std::vector<std::string>& warnings) {
  if (task.custom != nullptr) {
    warnings.push_back(fmt::format(
        "customize_dtypes line of '{}{}' has no effect on '{}': {} has quantised "
        "operands and keeps the types of the model",
        task.custom->is_type ? "OpType::" : "", task.custom->target, task.node.name, task.ir_type));
  }
  NodeToResolve plain = task;
  plain.custom = nullptr;
  const EngineChoice choice = ChooseEngine(plain);
  NodePrecision precision;
  precision.engine = choice.engine;
  precision.inputs = FormatsOf(OriginalDTypes(task.graph, task.node.inputs));
  precision.outputs = FormatsOf(OriginalDTypes(task.graph, task.node.outputs));
  precision.reason = "quantised: keeps the types of the model";
  return precision;
}

// The node with a customize_dtypes line as every phase sees it: the line beats keep_dtype and the
// lists for the whole node, so that free tensors are what the mode wishes of any other operator.
NodeToResolve WithLinesInForce(const NodeToResolve& task) {
  NodeToResolve node = task;
  if (node.custom != nullptr) {
    node.kept_by = {};
    node.policy = MixPolicy::kWhite;
  }
  return node;
}

// A mixed mode would lower the operator, but its library has no 16-bit column at all.
void WarnIfWhiteWithoutHalf(const NodeToResolve& task, std::vector<std::string>& warnings) {
  const auto is_half = [](DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  };
  const auto has_half = [&](const std::vector<DType>& dtypes) {
    return std::any_of(dtypes.begin(), dtypes.end(), is_half);
  };
  const auto is_float32 = [&](ValueId id) {
    return id != kNoValue && task.graph.value(id).type.dtype == DType::kFloat32;
  };
  if (!task.mode.mixed_dtype || task.policy != MixPolicy::kWhite || !task.kept_by.empty() ||
      task.custom != nullptr ||
      std::none_of(task.node.inputs.begin(), task.node.inputs.end(), is_float32) ||
      std::any_of(task.op->inputs.begin(), task.op->inputs.end(), has_half) ||
      std::any_of(task.op->outputs.begin(), task.op->outputs.end(), has_half)) {
    return;
  }
  warnings.push_back(
      fmt::format("node '{}' ({}) is on the white list but has no 16-bit "
                  "implementation on {}; it stays float32",
                  task.node.name, task.ir_type, task.target.name));
}

}  // namespace

NodePrecision ResolveNode(const NodeToResolve& listed, const ImplModeRequests& requests,
                          const ResolvedValues& values, std::vector<std::string>& warnings,
                          NodeTrace* trace) {
  const NodeToResolve task = WithLinesInForce(listed);
  if (task.node.op == OpKind::kCast) {
    return ResolveCast(task, values);
  }
  if (InfoOf(task.node.op).Is(kQuantized)) {
    return ResolveQuantized(task, warnings);
  }
  NodePrecision precision;
  EngineChoice choice = ChooseEngine(task);
  precision.engine = choice.engine;
  if (choice.engine == Engine::kAiCpu) {
    precision.inputs = FormatsOf(OriginalDTypes(task.graph, task.node.inputs));
    precision.outputs = FormatsOf(OriginalDTypes(task.graph, task.node.outputs));
    precision.reason = fmt::format("AiCpu in the original dtypes: {}", choice.ai_core_refusal);
    if (trace != nullptr) {
      trace->ai_core_refusal = std::move(choice.ai_core_refusal);
    }
    return precision;
  }
  ColumnChoice column = ChooseColumn(task, values, trace == nullptr ? nullptr : &trace->columns);
  precision.inputs = FormatsOf(column.inputs);
  precision.outputs = FormatsOf(column.outputs);
  precision.reason = std::move(column.reason);
  precision.impl_mode =
      ChooseImplMode(requests, task.node, task.ir_type, *task.op, precision, warnings);
  WarnIfWhiteWithoutHalf(task, warnings);
  return precision;
}

}  // namespace halftone
