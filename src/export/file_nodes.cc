#include "src/export/file_nodes.h"

#include <fmt/format.h>

namespace halftone {

std::vector<FileNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan) {
  std::vector<FileNode> nodes;
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

void LeftOut::Add(const std::string& name) {
  if (count_++ == 0) {
    first_ = name;
  }
}

void LeftOut::AddNote(std::string_view what, std::vector<std::string>& notes) const {
  if (count_ > 0) {
    notes.push_back(fmt::format("{}: {}, the first is '{}'", what, count_, first_));
  }
}

}  // namespace halftone
