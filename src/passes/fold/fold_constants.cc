#include "src/passes/fold/fold_constants.h"

#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

// Beyond this a constant costs more memory than recomputing it costs time; it is also the largest
// initializer that a protobuf file can hold, so that no importable weight is refused.
constexpr std::int64_t kLargestResultBytes = std::int64_t{1} << 31;

bool NeedsShapesOnly(OpKind op) {
  return op == OpKind::kShape || op == OpKind::kSize || op == OpKind::kEyeLike;
}

bool HasConstantInputs(const KernelQuery& query) {
  bool any = false;
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    if (query.inputs[i] != nullptr && query.Constant(i) == nullptr) {
      return false;
    }
    any = any || query.inputs[i] != nullptr;
  }
  return any;
}

// The dtype by which kernels are chosen: that of the first "T", else of the first input.
DType KernelDType(const KernelQuery& query) {
  const auto signature = ParseSignature(InfoOf(query.op).inputs);
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (signature[i].letter == 'T' && query.Input(i) != nullptr) {
      return query.Input(i)->dtype;
    }
  }
  return query.inputs.at(0)->dtype;
}

// Preference for the kernels that may fold: the reference if there is one; empty when the operator
// has no kernel.
std::optional<KernelPreference> PreferenceFor(const KernelQuery& query) {
  const DType dtype = KernelDType(query);
  KernelPreference preference;
  bool found = false;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      const bool fits = entry.op == query.op && entry.dtypes.Has(dtype) &&
                        (entry.isa & preference.isa) == entry.isa;
      found = found || fits;
      preference.reference_only = preference.reference_only || (fits && entry.is_reference);
    }
  }
  return found ? std::optional(preference) : std::nullopt;
}

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{64}); }
};

std::vector<Tensor> RunOnce(const KernelEntry& entry, const KernelQuery& query) {
  const std::unique_ptr<KernelState> state =
      entry.prepare != nullptr ? entry.prepare(query) : nullptr;
  std::vector<Tensor> results;
  std::vector<void*> outputs;
  bool empty = true;
  for (const TensorType* type : query.outputs) {
    results.push_back(type != nullptr ? Tensor(*type) : Tensor());
    outputs.push_back(type != nullptr ? results.back().mutable_data() : nullptr);
    empty = empty && (type == nullptr || type->shape.ElementCount() == 0);
  }
  if (empty) {
    return results;
  }
  std::vector<const void*> inputs;
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    inputs.push_back(query.Constant(i) != nullptr ? query.Constant(i)->data() : nullptr);
  }
  const std::size_t scratch_bytes =
      entry.scratch_bytes != nullptr ? entry.scratch_bytes(*state) : 0;
  const std::unique_ptr<std::byte, AlignedDelete> scratch(static_cast<std::byte*>(
      ::operator new (std::max<std::size_t>(scratch_bytes, 1), std::align_val_t{64})));
  entry.run({.state = state.get(), .inputs = inputs, .outputs = outputs, .scratch = scratch.get()});
  return results;
}

// The result holds the elements of the first operand: another order, another shape.
bool KeepsElements(const Node& node) {
  return node.outputs.size() == 1 && !node.inputs.empty() && node.inputs[0] != kNoValue &&
         (node.op == OpKind::kTranspose || InfoOf(node.op).Is(kIsView));
}

// Frees the memory of constants that no node and no output of the graph reads.
void ReleaseUnread(Graph& graph, std::span<const ValueId> constants) {
  std::vector<bool> read(graph.values.size(), false);
  const auto mark = [&](std::span<const ValueId> ids) {
    for (const ValueId id : ids) {
      if (id != kNoValue) {
        read[static_cast<std::size_t>(id)] = true;
      }
    }
  };
  mark(graph.outputs);
  for (const Node& node : graph.nodes) {
    mark(node.inputs);
  }
  for (const ValueId id : constants) {
    if (!read[static_cast<std::size_t>(id)]) {
      graph.value(id).constant.reset();
    }
  }
}

}  // namespace

KernelQuery QueryOf(const Graph& graph, const Node& node) {
  KernelQuery query{.op = node.op, .attributes = &node.attributes, .fusion = &node.fusion};
  for (const ValueId input : node.inputs) {
    const Value* value = input == kNoValue ? nullptr : &graph.value(input);
    query.inputs.push_back(value != nullptr ? &value->type : nullptr);
    query.constants.push_back(value != nullptr && value->constant ? &*value->constant : nullptr);
  }
  for (const ValueId output : node.outputs) {
    query.outputs.push_back(output == kNoValue ? nullptr : &graph.value(output).type);
  }
  return query;
}

bool IsConstantCall(const KernelQuery& query) {
  return NeedsShapesOnly(query.op) || HasConstantInputs(query);
}

std::optional<std::vector<Tensor>> EvaluateConstant(const KernelQuery& query, LoadBudget& budget) {
  if (!IsConstantCall(query)) {
    return std::nullopt;
  }
  for (const TensorType* type : query.outputs) {
    if (type == nullptr || type->size_bytes() > kLargestResultBytes) {
      return std::nullopt;
    }
  }
  const bool same_bytes = InfoOf(query.op).Is(kIsView) && query.Constant(0) != nullptr;
  if (same_bytes) {
    return std::vector<Tensor>{query.Constant(0)->Reshaped(query.outputs[0]->shape)};
  }
  const auto preference = PreferenceFor(query);
  if (!preference || !budget.Take(CostOfFolding(query))) {
    return std::nullopt;
  }
  return RunOnce(*SelectKernel(query, *preference).entry, query);
}

std::vector<Tensor> Evaluate(const KernelQuery& query) {
  if (InfoOf(query.op).Is(kIsView)) {
    return {query.Constant(0)->Reshaped(query.outputs.at(0)->shape)};
  }
  return RunOnce(*SelectKernel(query).entry, query);
}

void FoldConstants(Graph& graph) {
  LoadBudget budget;
  for (const Value& value : graph.values) {
    budget.Allow(value.constant ? static_cast<double>(value.type.size_bytes()) : 0);
  }
  FoldConstants(graph, budget);
}

void FoldConstants(Graph& graph, LoadBudget budget) {
  std::vector<Node> kept;
  std::vector<ValueId> same_elements;  // of what was made of them: nothing else needs them
  for (Node& node : graph.nodes) {
    auto results = WithContext([&] { return Describe(node); },
                               [&] { return EvaluateConstant(QueryOf(graph, node), budget); });
    if (!results) {
      kept.push_back(std::move(node));
      continue;
    }
    graph.NoteRemoved(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      graph.value(node.outputs[i]).constant = std::move((*results)[i]);
    }
    if (KeepsElements(node)) {  // scales that a table gives are of the initializer
      graph.value(node.outputs[0]).stands_for = node.inputs[0];
      same_elements.push_back(node.inputs[0]);
    }
  }
  graph.nodes = std::move(kept);
  ReleaseUnread(graph, same_elements);
}

}  // namespace halftone
