#include "src/passes/fuse/matmul_to_gemm.h"

#include "src/passes/fuse/constant_bias.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

bool IsMatrixProduct(const Graph& graph, const Node& node) {
  return node.op == OpKind::kMatMul && node.inputs.size() == 2 && node.fusion.b_perm.empty() &&
         graph.value(node.inputs[0]).type.shape.rank() == 2 &&
         graph.value(node.inputs[1]).type.shape.rank() == 2 &&
         IsTunable(graph.value(node.outputs[0]).type.dtype);
}

}  // namespace

void MatMulToGemm(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (Node& product : graph.nodes) {
    if (product.outputs.empty() || !IsMatrixProduct(graph, product)) {
      continue;
    }
    const NodeId reader = readers[static_cast<std::size_t>(product.outputs[0])];
    if (reader == kNoNode) {
      continue;
    }
    Node& add = graph.nodes[static_cast<std::size_t>(reader)];
    const ValueId bias = ConstantBiasIn(graph, add, product.outputs[0]);
    if (bias == kNoValue || !fusing.MayFuse(graph, {&product, &add})) {
      continue;
    }
    product.op = OpKind::kGemm;
    product.inputs.push_back(bias);
    fusing.Absorb(product, add);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
