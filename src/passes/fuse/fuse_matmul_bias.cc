#include "src/passes/fuse/fuse_matmul_bias.h"

#include "src/ir/fused_operands.h"
#include "src/passes/fuse/constant_bias.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

bool TakesBias(const Graph& graph, const Node& node) {
  return node.op == OpKind::kMatMul && node.inputs.size() == kBiasOperand &&
         node.outputs.size() == 1 && !node.fusion.activation &&
         graph.value(node.inputs[0]).type.shape.rank() >= 2 &&
         graph.value(node.inputs[1]).type.shape.rank() >= 2 &&
         graph.value(node.outputs[0]).type.shape.rank() >= 3 &&
         IsTunable(graph.value(node.outputs[0]).type.dtype);
}

}  // namespace

void FuseMatMulBias(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (Node& product : graph.nodes) {
    if (product.outputs.empty() || !TakesBias(graph, product)) {
      continue;
    }
    const NodeId reader = readers[static_cast<std::size_t>(product.outputs[0])];
    if (reader == kNoNode) {
      continue;
    }
    Node& add = graph.nodes[static_cast<std::size_t>(reader)];
    const ValueId bias = ConstantBiasIn(graph, add, product.outputs[0]);
    if (bias != kNoValue && fusing.MayFuse(graph, {&product, &add})) {
      product.inputs.push_back(bias);
      fusing.Absorb(product, add);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
