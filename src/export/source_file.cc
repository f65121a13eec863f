#include "src/export/source_file.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "src/onnx/graph_order.h"

namespace halftone {

SourceFile::SourceFile(const onnx::GraphProto& of_file, const Graph& of_model)
    : graph(of_file), network(of_model) {
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      producers.emplace(output, i);
    }
  }
  for (const auto& initializer : graph.initializer()) {
    constants.insert(initializer.name());
  }
  for (const auto& node : graph.node()) {
    if (std::ranges::all_of(NamesReadBy(node), [&](const std::string& name) {
          return name.empty() || constants.contains(name);
        })) {
      constants.insert(node.output().begin(), node.output().end());
    }
  }
}

int SourceFile::ProducerOf(const std::string& tensor) const {
  const auto found = producers.find(tensor);
  return found == producers.end() ? -1 : found->second;
}

int SourceFile::NodeOf(NodeId node) const {
  return ProducerOf(network.node(node).origins[0].output);
}

bool SourceFile::Has(const std::string& tensor) const {
  return producers.contains(tensor) ||
         std::any_of(graph.input().begin(), graph.input().end(),
                     [&](const auto& input) { return input.name() == tensor; });
}

}  // namespace halftone
