// Relus behind one another with names and formats of a test's choice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/export/file_nodes.h"
#include "tests/support/graph_builder.h"

namespace halftone::testing {

struct NamedNet {
  Graph graph;
  PrecisionPlan plan;

  [[nodiscard]] std::vector<PlannedNode> nodes() const { return NodesOfFile(graph, plan); }
};

// The result of node "a" is "a_out"; nodes without a format are in float32.
inline NamedNet NamedNetOf(const std::vector<std::string>& names,
                           const std::map<std::string, std::string>& formats) {
  GraphBuilder builder;
  ValueId last = builder.Input("x", {2, 4});
  for (const std::string& name : names) {
    last = builder.Add(OpKind::kRelu, name, {last});
  }
  NamedNet net{.graph = builder.Finish({last}), .plan = {}};
  for (Node& node : net.graph.nodes) {
    node.origins = {{node.name, "Relu", node.name + "_out"}};
    net.graph.values[static_cast<std::size_t>(node.outputs[0])].name = node.name + "_out";
  }
  net.plan = ReferencePlan(net.graph);
  for (std::size_t n = 0; n < net.graph.nodes.size(); ++n) {
    if (const auto found = formats.find(net.graph.nodes[n].name); found != formats.end()) {
      net.plan.nodes[n].inputs.assign(1, *NumericFormat::Named(found->second));
      net.plan.nodes[n].outputs.assign(1, *NumericFormat::Named(found->second));
    }
  }
  return net;
}

}  // namespace halftone::testing
