#include "src/precision/column_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace halftone {
namespace {

// The producer a graylist tensor follows. `dtype` is empty when there is none at all.
struct Upstream {
  std::optional<DType> dtype;
  std::string name;
};

// A Cast that only undoes the lowering of a mixed mode is looked through: what stands before it has
// the dtype to follow.
bool IsLookedThrough(const NodeToResolve& task, const Node& producer,
                     const ResolvedValues& values) {
  if (producer.op != OpKind::kCast || !task.mode.mixed_dtype) {
    return false;
  }
  const auto cast = task.target.ai_core.find(std::string_view("Cast"));
  if (cast != task.target.ai_core.end() && cast->second.policy == MixPolicy::kBlack) {
    return false;
  }
  const DType from = values.dtypes[static_cast<std::size_t>(producer.inputs[0])];
  const DType to = values.dtypes[static_cast<std::size_t>(producer.outputs[0])];
  return from == *task.mode.mixed_dtype && IsTunable(to) && to != from;
}

Upstream UpstreamOf(const NodeToResolve& task, ValueId id, const ResolvedValues& values) {
  while (true) {
    const auto index = static_cast<std::size_t>(id);
    const Value& value = task.graph.value(id);
    const NodeId producer = values.producers[index];
    if (producer == kNoNode) {
      if (!value.constant && !values.graph_inputs[index]) {
        return {};
      }
      return {values.dtypes[index],
              fmt::format("{} '{}'", value.constant ? "constant" : "graph input", value.name)};
    }
    if (!IsLookedThrough(task, task.graph.node(producer), values)) {
      return {values.dtypes[index], fmt::format("'{}'", task.graph.node(producer).name)};
    }
    id = task.graph.node(producer).inputs[0];
  }
}

// Present inputs: computed ones and graph inputs, then constants and what has no producer.
std::vector<std::size_t> InputOrder(const NodeToResolve& task, const ResolvedValues& values) {
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    const ValueId id = task.node.inputs[i];
    if (id == kNoValue) {
      continue;
    }
    const auto index = static_cast<std::size_t>(id);
    const bool computed = values.producers[index] != kNoNode ||
                          (values.graph_inputs[index] && !task.graph.value(id).constant);
    (computed ? first : last).push_back(i);
  }
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

// "A" in the operator table: any type, as it is, so no mode changes it.
bool IsAsItIs(std::string_view signature, std::size_t index) {
  const auto item = SignatureItemAt(signature, index);
  return item && item->letter == 'A';
}

NarrowRule RuleFor(const NodeToResolve& task, bool as_it_is) {
  if (as_it_is) {
    return NarrowKeepOrigin;
  }
  return task.kept_by.empty() ? task.mode.narrow : NarrowKept;
}

bool HasTunableOperand(const NodeToResolve& task) {
  for (const auto* ids : {&task.node.inputs, &task.node.outputs}) {
    for (const ValueId id : *ids) {
      if (id != kNoValue && IsTunable(task.graph.value(id).type.dtype)) {
        return true;
      }
    }
  }
  return false;
}

std::string GrayReason(const NodeToResolve& task, const std::vector<std::size_t>& order,
                       const ResolvedValues& values) {
  for (const std::size_t i : order) {
    const ValueId id = task.node.inputs[i];
    if (!IsTunable(task.graph.value(id).type.dtype)) {
      continue;
    }
    const Upstream upstream = UpstreamOf(task, id, values);
    if (upstream.dtype) {
      return fmt::format("gray: follows {} ({})", upstream.name, NameOf(*upstream.dtype));
    }
  }
  return "gray: no producer to follow, original dtype where possible";
}

std::string ReasonOf(const NodeToResolve& task, const LibraryOp& op,
                     const std::vector<std::size_t>& order, const ResolvedValues& values,
                     DType compute) {
  if (!HasTunableOperand(task)) {
    return "no operand that a precision mode changes";
  }
  if (!task.kept_by.empty()) {
    return fmt::format("kept by keep_dtype line '{}'", task.kept_by);
  }
  if (!task.mode.mixed_dtype) {
    return fmt::format("{}: {}", task.mode.label(), NameOf(compute));
  }
  if (op.policy == MixPolicy::kGray) {
    return GrayReason(task, order, values);
  }
  return fmt::format("{} list: {}", NameOf(op.policy), NameOf(compute));
}

std::vector<DType> DTypesOf(const std::vector<ValueId>& ids, const LibraryOp& op, bool inputs,
                            std::size_t column, DType absent) {
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto* table = inputs ? op.InputColumns(i) : op.OutputColumns(i);
    dtypes.push_back(ids[i] == kNoValue || table == nullptr ? absent : (*table)[column]);
  }
  return dtypes;
}

}  // namespace

ResolvedValues OriginalValues(const Graph& graph) {
  ResolvedValues values{.dtypes = {},
                        .producers = ProducersOf(graph),
                        .graph_inputs = std::vector<bool>(graph.values.size(), false)};
  for (const Value& value : graph.values) {
    values.dtypes.push_back(value.type.dtype);
  }
  for (const ValueId input : graph.inputs) {
    values.graph_inputs[static_cast<std::size_t>(input)] = true;
  }
  return values;
}

ColumnChoice ChooseColumn(const NodeToResolve& task, const LibraryOp& op,
                          const ResolvedValues& values) {
  const OpInfo& info = InfoOf(task.node.op);
  const bool follows = task.mode.mixed_dtype && op.policy == MixPolicy::kGray;
  const bool kept = !task.kept_by.empty();
  const std::vector<std::size_t> order = InputOrder(task, values);
  NodeColumns node{.columns = CandidateColumns(op.column_count())};

  const auto narrow = [&](bool input, std::size_t i, ValueId id) {
    const DType original = task.graph.value(id).type.dtype;
    const bool as_it_is = IsAsItIs(input ? info.inputs : info.outputs, i);
    const TensorToNarrow tensor{
        .op = op,
        .dtypes = input ? *op.InputColumns(i) : *op.OutputColumns(i),
        .original = original,
        .is_first_input = input && i == 0,
        .forbidden = kept || as_it_is ? std::nullopt : task.mode.ForbiddenFor(original),
        .upstream = input && follows ? UpstreamOf(task, id, values).dtype : std::nullopt};
    RuleFor(task, as_it_is)(tensor, node);
  };
  for (const std::size_t i : order) {
    narrow(true, i, task.node.inputs[i]);
  }
  for (std::size_t i = 0; i < task.node.outputs.size(); ++i) {
    if (task.node.outputs[i] != kNoValue) {
      narrow(false, i, task.node.outputs[i]);
    }
  }

  const std::size_t column = node.columns.chosen();
  const auto* first = op.InputColumns(0);
  const DType absent = first != nullptr ? (*first)[column] : DType::kFloat32;
  NodePrecision chosen;
  chosen.inputs = DTypesOf(task.node.inputs, op, true, column, absent);
  chosen.outputs = DTypesOf(task.node.outputs, op, false, column, absent);
  std::string reason = ReasonOf(task, op, order, values, chosen.compute_dtype());
  return {std::move(chosen.inputs), std::move(chosen.outputs), std::move(reason)};
}

}  // namespace halftone
