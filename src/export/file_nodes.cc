#include "src/export/file_nodes.h"

namespace halftone {

std::vector<PlannedNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan) {
  std::vector<PlannedNode> nodes;
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const Node& node = network.nodes[n];
    for (const Origin& origin : node.origins) {
      if (!origin.output.empty()) {
        nodes.push_back({.name = origin.name,
                         .type = origin.type,
                         .output = origin.output,
                         .compute = plan.nodes[n].compute_format(),
                         .outputs = node.origins.size() == 1 ? node.outputs.size() : 1});
      }
    }
  }
  return nodes;
}

}  // namespace halftone
