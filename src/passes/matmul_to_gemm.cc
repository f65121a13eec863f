#include "src/passes/matmul_to_gemm.h"

#include "src/passes/sole_reader.h"

namespace halftone {
namespace {

bool IsMatrixProduct(const Graph& graph, const Node& node) {
  return node.op == OpKind::kMatMul && node.inputs.size() == 2 &&
         graph.value(node.inputs[0]).type.shape.rank() == 2 &&
         graph.value(node.inputs[1]).type.shape.rank() == 2 &&
         IsTunable(graph.value(node.outputs[0]).type.dtype);
}

// The operand of `add` that is a bias for `product`; kNoValue when there is none.
ValueId BiasIn(const Graph& graph, const Node& add, ValueId product) {
  if (add.op != OpKind::kAdd || add.inputs[0] == add.inputs[1]) {
    return kNoValue;
  }
  const ValueId other = add.inputs[0] == product ? add.inputs[1] : add.inputs[0];
  const TensorType& result = graph.value(product).type;
  const Value& bias = graph.value(other);
  const std::int64_t columns = result.shape[1];
  const bool row = bias.type.shape == Shape{columns} || bias.type.shape == Shape{1, columns} ||
                   bias.type.shape == Shape{};
  const bool same_shape = graph.value(add.outputs[0]).type == result;
  return bias.constant && row && same_shape ? other : kNoValue;
}

}  // namespace

void MatMulToGemm(Graph& graph) {
  const std::vector<NodeId> readers = SoleReadersOf(graph);
  for (Node& product : graph.nodes) {
    if (product.outputs.empty() || !IsMatrixProduct(graph, product)) {
      continue;
    }
    const NodeId reader = readers[static_cast<std::size_t>(product.outputs[0])];
    if (reader == kNoNode) {
      continue;
    }
    Node& add = graph.nodes[static_cast<std::size_t>(reader)];
    const ValueId bias = BiasIn(graph, add, product.outputs[0]);
    if (bias == kNoValue) {
      continue;
    }
    product.op = OpKind::kGemm;
    product.inputs.push_back(bias);
    Absorb(product, add);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
