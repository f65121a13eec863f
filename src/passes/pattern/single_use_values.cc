#include "src/passes/pattern/single_use_values.h"

namespace halftone {

std::vector<NodeId> SingleUseReadersOf(const Graph& graph) {
  const auto consumers = ConsumersOf(graph);
  std::vector<NodeId> readers(graph.values.size(), kNoNode);
  for (std::size_t v = 0; v < readers.size(); ++v) {
    if (consumers[v].size() == 1) {
      readers[v] = consumers[v][0];
    }
  }
  for (const ValueId id : graph.outputs) {
    readers[static_cast<std::size_t>(id)] = kNoNode;
  }
  return readers;
}

void RemoveEmptiedNodes(Graph& graph) {
  std::erase_if(graph.nodes, [](const Node& node) { return node.outputs.empty(); });
}

}  // namespace halftone
