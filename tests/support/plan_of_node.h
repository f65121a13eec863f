// Lookups by name and the dtypes of a node in a plan, for tests of options.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "src/exec/host_target.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/target/builtin_targets.h"
#include "src/target/target_spec.h"

namespace halftone::testing {

inline NodeId NodeOf(const Graph& graph, std::string_view name) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].name == name) {
      return static_cast<NodeId>(n);
    }
  }
  throw Error(ErrorKind::kInternal, fmt::format("there is no node {}", name));
}

inline TargetSpec TargetOf(const std::string& name) {
  return name == "host" ? HostTarget() : FindSocVersion(name)->ForSoc(name);
}

// Dtypes of the results and the tunable operands of a node in the plan.
inline std::vector<DType> DTypesOf(const Graph& graph, NodeId id, const PrecisionPlan& plan) {
  const Node& node = graph.node(id);
  std::vector<DType> dtypes = halftone::DTypesOf(plan.node(id).outputs);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (SignatureItemAt(InfoOf(node.op).inputs, i)->letter != 'F') {
      dtypes.push_back(plan.node(id).inputs[i].dtype());
    }
  }
  return dtypes;
}

}  // namespace halftone::testing
