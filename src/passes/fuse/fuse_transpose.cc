#include "src/passes/fuse/fuse_transpose.h"

#include <utility>

#include "src/passes/fuse/attention_rows.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

constexpr std::size_t kB = 1;

bool TakesTranspose(const Graph& graph, const Node& node) {
  const bool matrix = node.op == OpKind::kGemm || node.op == OpKind::kMatMul;
  return matrix && node.outputs.size() == 1 && node.inputs[0] != node.inputs[kB] &&
         node.fusion.b_perm.empty() && IsTunable(graph.value(node.outputs[0]).type.dtype);
}

// True if the permutation moves the last axis to the last but one, which a product sums over.
bool MakesRowsColumns(const std::vector<std::int64_t>& perm) {
  return perm.size() >= 2 && perm[perm.size() - 2] == static_cast<std::int64_t>(perm.size()) - 1;
}

}  // namespace

void FuseTranspose(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    Node& product = graph.nodes[static_cast<std::size_t>(n)];
    if (product.outputs.empty() || !TakesTranspose(graph, product)) {
      continue;
    }
    const auto b = static_cast<std::size_t>(product.inputs[kB]);
    if (producers[b] == kNoNode || readers[b] != n) {
      continue;
    }
    Node& transpose = graph.nodes[static_cast<std::size_t>(producers[b])];
    if (transpose.op != OpKind::kTranspose || graph.value(transpose.inputs[0]).constant) {
      continue;
    }
    std::vector<std::int64_t> perm = PermutationOf(graph, transpose);
    if (!MakesRowsColumns(perm) || !fusing.MayFuse(graph, {&product, &transpose})) {
      continue;
    }
    if (product.op == OpKind::kGemm) {
      product.attributes.Set("transB", std::int64_t{product.attributes.Int("transB", 0) == 0});
    } else {
      product.fusion.b_perm = std::move(perm);
    }
    product.inputs[kB] = transpose.inputs[0];
    fusing.AbsorbBefore(product, transpose);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
