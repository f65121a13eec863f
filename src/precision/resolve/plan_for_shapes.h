// One plan for every input shape of a network: decided once, on the graph of one shape.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The plan of `to`, which is the same model at other input shapes: nodes that `from` has under the
// same name do what `plan` says. Nodes that are only in `to` (where `from` folded them, or had no
// need of them) do what `resolved` says, the plan of `to` by the same options.
PrecisionPlan PlanForShapes(const Graph& from, const PrecisionPlan& plan, const Graph& to,
                            PrecisionPlan resolved);

// Names of the nodes of `to` that PlanForShapes() finds no decision for in `from`.
std::vector<std::string> NodesOnlyIn(const Graph& to, const Graph& from);

}  // namespace halftone
