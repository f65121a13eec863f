#include "src/precision/resolve/column_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/ir/fused_operands.h"

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
  constexpr std::string_view kCast = "Cast";
  const auto cast = task.target.ai_core.find(kCast);
  if (cast != task.target.ai_core.end() &&
      task.policies.Of(kCast, cast->second.policy) == MixPolicy::kBlack) {
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

// Present inputs: computed ones and graph inputs, then constants and what has no producer. Those
// that a pass added follow the result.
std::vector<std::size_t> InputOrder(const NodeToResolve& task, const ResolvedValues& values) {
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < task.node.inputs.size(); ++i) {
    const ValueId id = task.node.inputs[i];
    if (id == kNoValue || IsFusedOperand(InfoOf(task.node.op), i)) {
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

bool FollowsWithoutKernel(const NodeToResolve& task) {
  return !task.op->has_kernel_file && !task.mode.rules_without_kernel_file;
}

// The policy that the rules of the mixed modes see.
MixPolicy PolicyOf(const NodeToResolve& task) {
  return FollowsWithoutKernel(task) ? MixPolicy::kGray : task.policy;
}

bool FollowsProducer(const NodeToResolve& task) {
  return (task.mode.mixed_dtype && PolicyOf(task) == MixPolicy::kGray) ||
         FollowsWithoutKernel(task);
}

void NarrowTensor(const NodeToResolve& task, const TensorToNarrow& tensor, bool as_it_is,
                  NodeColumns& node) {
  if (as_it_is) {
    NarrowKeepOrigin(tensor, node);
  } else if (!task.kept_by.empty()) {
    NarrowKept(tensor, node);
  } else if (!FollowsWithoutKernel(task) || !NarrowAsProducer(tensor, node)) {
    task.mode.narrow(tensor, node);
  }
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
      return fmt::format("follows {} ({})", upstream.name, NameOf(*upstream.dtype));
    }
  }
  return "no producer to follow, original dtype where possible";
}

std::string ReasonOf(const NodeToResolve& task, const std::vector<std::size_t>& order,
                     const ResolvedValues& values, DType compute) {
  if (task.custom != nullptr) {
    return fmt::format("customize_dtypes line of '{}{}'", task.custom->is_type ? "OpType::" : "",
                       task.custom->target);
  }
  if (!HasTunableOperand(task)) {
    return "no operand that a precision mode changes";
  }
  if (!task.kept_by.empty()) {
    return fmt::format("kept by keep_dtype line '{}'", task.kept_by);
  }
  if (FollowsWithoutKernel(task)) {
    return fmt::format("no kernel file: {}", GrayReason(task, order, values));
  }
  if (!task.mode.mixed_dtype) {
    return fmt::format("{}: {}", task.mode.label(), NameOf(compute));
  }
  if (task.policy == MixPolicy::kGray) {
    return fmt::format("gray: {}", GrayReason(task, order, values));
  }
  return fmt::format("{} list: {}", NameOf(task.policy), NameOf(compute));
}

// Operands that a pass added have the dtype of the result.
std::vector<DType> DTypesOf(const Node& node, const LibraryOp& op, bool inputs, std::size_t column,
                            DType absent) {
  const std::vector<ValueId>& ids = inputs ? node.inputs : node.outputs;
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool fused = inputs && IsFusedOperand(InfoOf(node.op), i);
    const auto* table = fused    ? op.OutputColumns(0)
                        : inputs ? op.InputColumns(i)
                                 : op.OutputColumns(i);
    dtypes.push_back(ids[i] == kNoValue || table == nullptr ? absent : (*table)[column]);
  }
  return dtypes;
}

// Notes why columns drop out while tensors narrow them.
class RefusalLog {
 public:
  RefusalLog(const NodeToResolve& task, std::vector<RefusedColumn>* refused)
      : task_(task), refused_(refused) {}

  void Note(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after,
            std::string_view why) {
    if (refused_ == nullptr) {
      return;
    }
    for (const std::size_t column : before) {
      if (!std::binary_search(after.begin(), after.end(), column)) {
        refused_->push_back(
            {column, ColumnText(column), std::string(why), IsTunableColumn(column)});
      }
    }
  }

  // Removes the chosen column from the refusals: where a rule deleted every column, the first one
  // is taken all the same.
  void Chosen(std::size_t column) {
    if (refused_ != nullptr) {
      std::erase_if(*refused_,
                    [&](const RefusedColumn& refused) { return refused.column == column; });
    }
  }

 private:
  [[nodiscard]] bool IsTunableColumn(std::size_t column) const {
    const auto has = [&](const std::vector<DType>& dtypes) { return IsTunable(dtypes[column]); };
    return std::any_of(task_.op->inputs.begin(), task_.op->inputs.end(), has) ||
           std::any_of(task_.op->outputs.begin(), task_.op->outputs.end(), has);
  }

  // "f16,f16->f32": the tensors that the node has.
  [[nodiscard]] std::string ColumnText(std::size_t column) const {
    std::string text;
    for (const bool inputs : {true, false}) {
      const auto& ids = inputs ? task_.node.inputs : task_.node.outputs;
      const auto dtypes = DTypesOf(task_.node, *task_.op, inputs, column, DType::kFloat32);
      text += inputs ? "" : "->";
      for (std::size_t i = 0; i < ids.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ",",
                            ids[i] == kNoValue ? "-" : ShortNameOf(dtypes[i]));
      }
    }
    return text;
  }

  const NodeToResolve& task_;
  std::vector<RefusedColumn>* refused_;
};

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

ColumnChoice ChooseColumn(const NodeToResolve& task, const ResolvedValues& values,
                          std::vector<RefusedColumn>* refused) {
  const LibraryOp& op = *task.op;
  const OpInfo& info = InfoOf(task.node.op);
  const bool follows = FollowsProducer(task);
  const bool kept = !task.kept_by.empty();
  const MixPolicy policy = PolicyOf(task);
  const std::vector<std::size_t> order = InputOrder(task, values);
  NodeColumns node{.columns = CandidateColumns(AllowedColumns(task))};
  RefusalLog log(task, refused);
  if (refused != nullptr && task.custom != nullptr) {
    NodeToResolve free = task;
    free.custom = nullptr;
    log.Note(AllowedColumns(free), node.columns.candidates(), "contradicts customize_dtypes");
  }

  const auto narrow = [&](bool input, std::size_t i, ValueId id) {
    if (input ? task.CustomInput(i) : task.CustomOutput(i)) {
      return;  // the columns agree on it
    }
    const DType original = task.graph.value(id).type.dtype;
    const bool as_it_is = IsAsItIs(input ? info.inputs : info.outputs, i);
    const TensorToNarrow tensor{
        .op = op,
        .policy = policy,
        .dtypes = input ? *op.InputColumns(i) : *op.OutputColumns(i),
        .original = original,
        .is_first_input = input && i == 0,
        .forbidden = kept || as_it_is ? std::nullopt : task.mode.ForbiddenFor(original),
        .upstream = input && follows ? UpstreamOf(task, id, values).dtype : std::nullopt};
    if (refused == nullptr) {
      NarrowTensor(task, tensor, as_it_is, node);
      return;
    }
    const std::vector<std::size_t> before = node.columns.candidates();
    NarrowTensor(task, tensor, as_it_is, node);
    log.Note(before, node.columns.candidates(),
             fmt::format("{} {} takes {}", input ? "input" : "output", i,
                         NameOf(tensor.dtypes[node.columns.chosen()])));
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
  log.Note(node.columns.candidates(), {column}, "stands behind the chosen column");
  log.Chosen(column);
  const auto* first = op.InputColumns(0);
  const DType absent = first != nullptr ? (*first)[column] : DType::kFloat32;
  ColumnChoice choice{.inputs = DTypesOf(task.node, op, true, column, absent),
                      .outputs = DTypesOf(task.node, op, false, column, absent),
                      .reason = {}};
  const NodePrecision chosen{
      .inputs = FormatsOf(choice.inputs), .outputs = FormatsOf(choice.outputs), .reason = {}};
  choice.reason = ReasonOf(task, order, values, chosen.compute_dtype());
  return choice;
}

}  // namespace halftone
