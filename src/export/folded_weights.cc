#include "src/export/folded_weights.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

constexpr std::size_t kWeightsOperand = 1;

bool IsFoldable(OpKind op) {
  return op == OpKind::kBatchNormalization || op == OpKind::kMul || op == OpKind::kDiv ||
         op == OpKind::kAdd || op == OpKind::kSub;
}

// The part of a step that reads `value` with constants alone beside it; null: none does.
const Node* FoldedReader(const Graph& network, const Node& step, ValueId value) {
  for (const NodeId part : step.parts) {
    const Node& node = network.node(part);
    if (IsFoldable(node.op) && std::ranges::count(node.inputs, value) == 1 &&
        std::ranges::all_of(node.inputs, [&](ValueId input) {
          return input == value || input == kNoValue || network.value(input).constant.has_value();
        })) {
      return &node;
    }
  }
  return nullptr;
}

// Whether weights fit the attributes of a node: the importer makes a dilated kernel of one with
// rows and columns of zeros.
bool HasKernelOf(const onnx::NodeProto& node, const Shape& weights) {
  return std::none_of(node.attribute().begin(), node.attribute().end(), [&](const auto& attribute) {
    if (attribute.name() != "kernel_shape") {
      return false;
    }
    bool fits = attribute.ints_size() + 2 == weights.rank();
    for (int i = 0; fits && i < attribute.ints_size(); ++i) {
      fits = attribute.ints(i) == weights[i + 2];
    }
    return !fits;
  });
}

}  // namespace

bool HasFoldedWeights(const SourceFile& file, const Graph& fused, const Node& step) {
  if ((step.op != OpKind::kConv && step.op != OpKind::kConvTranspose) ||
      step.inputs.size() <= kWeightsOperand || step.inputs[kWeightsOperand] == kNoValue) {
    return false;
  }
  const ValueId weights = step.inputs[kWeightsOperand];
  return static_cast<std::size_t>(weights) >= file.network.values.size() &&
         fused.value(weights).constant.has_value();
}

std::optional<FoldedWeights> FoldedWeightsOf(const SourceFile& file, const Graph& fused,
                                             const Node& step) {
  if (!HasFoldedWeights(file, fused, step)) {
    return std::nullopt;
  }
  const Node& main = file.network.node(step.parts.at(0));
  FoldedWeights found{.node = file.NodeOf(step.parts[0]), .weights = step.inputs[kWeightsOperand]};
  if (found.node < 0 || file.graph.node(found.node).op_type() != InfoOf(step.op).name ||
      main.op != step.op || file.graph.node(found.node).input_size() < 2 ||
      !HasKernelOf(file.graph.node(found.node), fused.value(found.weights).type.shape)) {
    return std::nullopt;
  }
  if (step.inputs.size() > kBiasOperand && step.inputs[kBiasOperand] != kNoValue) {
    found.bias = step.inputs[kBiasOperand];
    if (!fused.value(found.bias).constant) {
      return std::nullopt;
    }
  }
  const Node* last = &main;
  while (const Node* next = FoldedReader(file.network, step, last->outputs.at(0))) {
    const int index = file.ProducerOf(next->origins[0].output);
    if (index < 0 || file.graph.node(index).input_size() == 0) {
      return std::nullopt;
    }
    found.folded.insert(index);
    found.result = file.graph.node(index).output(0);
    last = next;
  }
  return found.folded.empty() ? std::nullopt : std::optional(found);
}

}  // namespace halftone
