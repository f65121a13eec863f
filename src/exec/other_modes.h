// Nodes that run in another implementation mode than the plan gives them, because they are parts of
// a step.
//
// A step has one kernel, so it has one mode (FusedMode, src/passes/pattern/fusing.h). The plan
// keeps the requested mode; these records report the mode that runs.
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

// Nodes in the order of the steps, without those whose mode the plan leaves open. `plan` belongs to
// the network; `fused` is the result of FuseByPlan() for both.
std::vector<OtherMode> OtherModes(const PrecisionPlan& plan, const FusedNetwork& fused);

}  // namespace halftone
