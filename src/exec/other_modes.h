// Nodes that run in another implementation mode than the plan gives them, as parts of a step.
//
// A step has one kernel, so one mode (FusedMode, src/passes/pattern/fusing.h). The plan keeps what
// was asked for; this is what is said beside it.
#pragma once

#include <vector>

#include "src/exec/fuse_by_plan.h"
#include "src/ir/impl_mode.h"

namespace halftone {

struct OtherMode {
  NodeId node = kNoNode;  // of the network
  ImplMode planned = ImplMode::kDefault;
  ImplMode runs = ImplMode::kDefault;
  std::size_t step = 0;  // index into FusedNetwork::graph.nodes

  friend bool operator==(const OtherMode&, const OtherMode&) = default;
};

// Nodes in the order of the steps. `plan` is of the network, `fused` its FuseByPlan(). Nodes whose
// plan leaves the mode open have none to differ from.
std::vector<OtherMode> OtherModes(const PrecisionPlan& plan, const FusedNetwork& fused);

}  // namespace halftone
