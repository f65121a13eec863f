// Fusion by plan: neighbours become one step where the plan allows it, and each step has the
// precision of its parts.
//
// A fusion is legal when
//   - its parts run on the fast engine;
//   - the plan is of the host, or no value disappears, or the target has that fusion
//     (PrecisionPlan::fusions);
//   - the implementation mode of the whole is at least as exact as that of the kernel that runs
//     each part alone on this CPU, or the same (FusionRule::mode, src/passes/pattern/fusing.h);
//   - values that disappear stay float32 in the kernel, or are only moved; constants that go into
//     the weights of the main operator belong to a part whose dtype the weights hold.
// Operands of the step have the dtypes in which its parts read them, the widest where they differ.
// A value that is only moved before it is computed with has the narrowest dtype on its way. A
// constant mask of attention stays as the model has it. Results have the dtypes in which the parts
// make them. So nothing that the plan keeps in float32 is computed with less.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Raised with every change of the steps that plans lower to, so that earlier measurements belong to
// another version (src/api/bank/workload.cc).
inline constexpr int kLoweringVersion = 5;

// Nodes that one pass could join in the network, and why they stay apart.
struct KeptApart {
  std::string_view pass;      // its name
  std::vector<NodeId> nodes;  // of the network, the main one first
  std::string reason;         // one clause
};

struct FusedNetwork {
  // Values of the network keep their numbers; those that disappear have no producer here.
  // Node::parts are never empty.
  Graph graph;
  PrecisionPlan plan;  // of the nodes of `graph`
  std::vector<KeptApart> kept_apart;
};

// Constants that fusions make are held in `shared`; null: made anew. `plan` is of `graph`.
FusedNetwork FuseByPlan(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared);

// The network without fusions: each node is its own part.
FusedNetwork Unfused(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
