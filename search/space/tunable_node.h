// Tunable nodes: nodes that a precision mode can change, and those among them that are worth
// keeping in float32.
#pragma once

#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// True if an operand or result of type T or Y in the operator's signature is float32, float16 or
// bfloat16 in the model.
bool HasTunableOperand(const Graph& graph, const Node& node);

// True if the node has a tunable operand and computes, because an operator that only moves data
// makes no rounding errors.
bool IsTunableComputation(const Graph& graph, const Node& node);

// Fills trial.low_precision_nodes (nodes in a reduced format) and trial.kept_nodes (nodes in
// float32 that compute and have a tunable operand), both in graph order.
void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial);

}  // namespace halftone
