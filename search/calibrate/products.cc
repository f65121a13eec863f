#include "search/calibrate/products.h"

#include <algorithm>

namespace halftone {
namespace {

bool IsConvolution(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvTranspose;
}

}  // namespace

bool IsProduct(const Graph& graph, const Node& node) {
  return (IsConvolution(node.op) || node.op == OpKind::kGemm || node.op == OpKind::kMatMul) &&
         graph.value(node.inputs[1]).constant.has_value();
}

std::optional<std::vector<NodeId>> ProductAt(const Graph& graph, const NetworkSteps& steps,
                                             NodeId product) {
  std::vector<NodeId> nodes = {product};
  for (const NodeId next :
       steps.nodes[static_cast<std::size_t>(steps.step_of[static_cast<std::size_t>(product)])]) {
    const Node& node = graph.node(next);
    if (node.inputs.empty() ||
        std::ranges::find(node.inputs, graph.node(nodes.back()).outputs[0]) == node.inputs.end()) {
      continue;
    }
    if (node.op == OpKind::kBatchNormalization) {
      nodes.push_back(next);
    } else if (node.op == OpKind::kMul || node.op == OpKind::kDiv) {
      return std::nullopt;
    }
  }
  return nodes;
}

int ResultChannelAxis(const Node& product, int rank) {
  return IsConvolution(product.op) ? 1 : rank - 1;
}

}  // namespace halftone
