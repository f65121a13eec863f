// Predicates for nodes that a precision mode can change, and for those that are worth keeping in
// float32.
#pragma once

#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// True if an operand or result of type T in the operator's signature is float32, float16 or
// bfloat16 in the model.
bool HasTunableOperand(const Graph& graph, const Node& node);

// True if the node has a tunable operand and computes. An operator that only moves data makes no
// rounding errors.
bool IsTunableComputation(const Graph& graph, const Node& node);

// Fills trial.low_precision_nodes (nodes that compute in a reduced format) and trial.kept_nodes
// (nodes that compute, have a tunable operand and stayed in float32), both in graph order.
void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial);

}  // namespace halftone
