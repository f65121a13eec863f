// Fusion by plan: neighbours become one step where the plan allows it, and each step gets its
// precision from its parts.
//
// A fusion is allowed if all of these hold:
// - Its parts run on the fast engine.
// - The plan is of the host, or no value disappears, or the target itself makes this fusion of
//   these operators in one format (PrecisionPlan::fusions).
// - No part computes in a scaled format, or the pass fuses on integers (FusionRule::on_integers).
// - The step has the implementation mode in which each part would run alone on this CPU, or one
//   that is at least as exact (FusionRule::mode, src/passes/pattern/fusing.h).
// - Values that disappear stay float32 in the kernel, or are only moved.
// - A constant that goes into the weights of the main operator belongs to a part whose dtype the
//   weights hold. Weights with a scale take any constant, since they are rounded after the fusion.
//
// Operands of the step have the dtypes in which its parts read them; an operand that parts read in
// several dtypes has the widest. A value that is only moved before it is computed with has the
// narrowest dtype on its way. A constant mask of attention keeps its dtype of the model. Results
// have the dtypes in which the parts make them. So nothing that the plan keeps in float32 is
// computed with less.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Version of lowering. It is raised with every change of the steps that plans lower to, so that
// measurements of earlier steps belong to another version (src/api/bank/workload.cc).
inline constexpr int kLoweringVersion = 5;

// Nodes of the network that one pass could join, and the reason why they stay apart.
struct KeptApart {
  std::string_view pass;      // name of the pass
  std::vector<NodeId> nodes;  // the main one first
  std::string reason;         // one clause
};

struct FusedNetwork {
  // Values of the network keep their numbers; a value that disappears has no producer here.
  // Node::parts is never empty.
  Graph graph;
  PrecisionPlan plan;  // of the nodes of `graph`
  std::vector<KeptApart> kept_apart;
};

// `plan` belongs to `graph`. `shared` holds the constants that fusions make; null: they are made
// anew.
FusedNetwork FuseByPlan(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared);

// The network without fusions: each node is its own part.
FusedNetwork Unfused(const Graph& graph, const PrecisionPlan& plan);

}  // namespace halftone
