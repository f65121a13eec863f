// Predicates: nodes that a precision mode can change, and those of them worth keeping in float32.
#pragma once

#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// True if an operand or result of type T in the operator's signature is float32, float16 or
// bfloat16 in the model.
bool HasTunableOperand(const Graph& graph, const Node& node);

// True if the node also computes: an operator that only moves data has no rounding errors of its
// own.
bool IsTunableComputation(const Graph& graph, const Node& node);

// Fills trial.low_precision_nodes (compute dtype float16 or bfloat16) and trial.kept_nodes (nodes
// that compute, have a tunable operand and stayed in float32), both in graph order.
void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial);

}  // namespace halftone
