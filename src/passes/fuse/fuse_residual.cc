#include "src/passes/fuse/fuse_residual.h"

#include "src/ir/fused_operands.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

bool TakesResidual(const Graph& graph, const Node& node, bool activated) {
  const bool matrix =
      node.op == OpKind::kConv || node.op == OpKind::kGemm || node.op == OpKind::kMatMul;
  return matrix && node.outputs.size() == 1 && node.inputs.size() <= kResidualOperand &&
         node.fusion.activation.has_value() == activated &&
         IsTunable(graph.value(node.outputs[0]).type.dtype);
}

// The operand of `add` that a matrix operator makes for it alone, and that operator.
struct Sum {
  NodeId main = kNoNode;
  ValueId residual = kNoValue;
};

Sum SumOf(const Graph& graph, NodeId add, bool activated, const std::vector<NodeId>& producers,
          const std::vector<NodeId>& readers) {
  const Node& node = graph.node(add);
  Sum sum;
  if (node.op != OpKind::kAdd || node.inputs[0] == node.inputs[1] ||
      graph.value(node.inputs[0]).type != graph.value(node.inputs[1]).type) {
    return sum;
  }
  for (const std::size_t i : {0, 1}) {
    const auto value = static_cast<std::size_t>(node.inputs[i]);
    const ValueId other = node.inputs[1 - i];
    const NodeId producer = producers[value];
    if (producer != kNoNode && readers[value] == add && !graph.value(other).constant &&
        TakesResidual(graph, graph.node(producer), activated) && producer > sum.main) {
      sum = {.main = producer, .residual = other};
    }
  }
  return sum;
}

void Fuse(Graph& graph, bool activated, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  const std::vector<NodeId> producers = ProducersOf(graph);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    const Sum sum =
        graph.node(n).outputs.empty() ? Sum{} : SumOf(graph, n, activated, producers, readers);
    if (sum.main == kNoNode) {
      continue;
    }
    Node& add = graph.nodes[static_cast<std::size_t>(n)];
    Node& main = graph.nodes[static_cast<std::size_t>(sum.main)];
    if (!fusing.MayFuse(graph, {&main, &add})) {
      continue;
    }
    main.inputs.resize(kResidualOperand, kNoValue);
    main.inputs.push_back(sum.residual);
    main.fusion.residual = activated ? ResidualPlace::kAfter : ResidualPlace::kBefore;
    fusing.Absorb(main, add);
    std::swap(main, add);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace

void FuseResidual(Graph& graph, const Fusing& fusing) {
  Fuse(graph, false, fusing);
}

void FuseResidualAfterActivation(Graph& graph, const Fusing& fusing) {
  Fuse(graph, true, fusing);
}

}  // namespace halftone
