// Transfer of a plan to other input shapes of a network: decided once, on the graph of one shape.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The plan of `to`, the same model at other input shapes: nodes that `from` has under the same name
// follow `plan`. Nodes only in `to` (folded or not needed in `from`) follow `resolved`, the plan of
// `to` by the same options.
PrecisionPlan PlanForShapes(const Graph& from, const PrecisionPlan& plan, const Graph& to,
                            PrecisionPlan resolved);

// Names of the nodes of `to` without a decision in `from` for PlanForShapes().
std::vector<std::string> NodesOnlyIn(const Graph& to, const Graph& from);

}  // namespace halftone
