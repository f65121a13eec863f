// Transfer of a plan from the graph of one input shape to those of other input shapes.
#pragma once

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// The plan of `to`, which is the model of `from` at other input shapes. A node takes the precision
// of the node in `from` with the same name, operator and present operands. A node without such a
// counterpart, because it was folded or not needed in `from`, takes that of `resolved`, the plan of
// `to` by the same options.
PrecisionPlan PlanForShapes(const Graph& from, const PrecisionPlan& plan, const Graph& to,
                            PrecisionPlan resolved);

// Names of the nodes of `to` without a counterpart in `from`, as in PlanForShapes().
std::vector<std::string> NodesOnlyIn(const Graph& to, const Graph& from);

}  // namespace halftone
