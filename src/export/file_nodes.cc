#include "src/export/file_nodes.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "src/export/source_file.h"
#include "src/ir/other_names.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// Name of origin `index` of a node inside a body of If, Loop or Scan, or inside a function.
std::string NameInBody(const std::vector<Origin>& origins, std::size_t index) {
  const bool has_other = index + 1 < origins.size() && IsOtherName(origins[index + 1]);
  return origins[has_other ? index + 1 : index].name;
}

}  // namespace

Graph WithNamesOfFile(Graph network, const std::filesystem::path& model) {
  const std::shared_ptr<onnx::ModelProto> proto = LoadModel(ModelFile(model));
  const onnx::GraphProto& file = proto->graph();
  const SourceFile source(file, network);
  for (Node& node : network.nodes) {
    for (std::size_t i = 0; i < node.origins.size(); ++i) {
      Origin& origin = node.origins[i];
      if (origin.output.empty()) {
        continue;
      }
      const int index = source.ProducerOf(origin.output);
      origin.name = index < 0 ? NameInBody(node.origins, i) : file.node(index).name();
    }
  }
  // Nodes that the network does not have keep their names from being those of one node.
  for (const auto& node : file.node()) {
    if (node.output_size() > 0) {
      network.removed.push_back({node.name(), node.op_type(), node.output(0)});
    }
  }
  return network;
}

std::vector<PlannedNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan) {
  std::vector<PlannedNode> nodes;
  std::map<std::string, std::set<std::string>> outputs_of_name;
  for (const Origin& origin : network.removed) {
    if (!origin.output.empty()) {
      outputs_of_name[origin.name].insert(origin.output);
    }
  }
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const Node& node = network.nodes[n];
    for (const Origin& origin : node.origins) {
      if (!origin.output.empty()) {
        outputs_of_name[origin.name].insert(origin.output);
        nodes.push_back({.name = origin.name,
                         .type = origin.type,
                         .output = origin.output,
                         .compute = plan.nodes[n].compute_format(),
                         .outputs = node.origins.size() == 1 ? node.outputs.size() : 1});
      }
    }
  }
  for (PlannedNode& node : nodes) {
    node.shares_name = !node.name.empty() && outputs_of_name.at(node.name).size() > 1;
  }
  return nodes;
}

}  // namespace halftone
