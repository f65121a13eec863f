// Which nodes a precision mode can change, and which of those it makes sense to keep.
#pragma once

#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// An operand or result of the letter T in the operator's signature is float32, float16 or bfloat16
// in the model.
bool HasTunableOperand(const Graph& graph, const Node& node);

// It also computes: an operator that only moves data has no rounding errors of its own.
bool IsTunableComputation(const Graph& graph, const Node& node);

// Fills trial.low_precision_nodes (compute dtype float16 or bfloat16) and trial.kept_nodes (nodes
// that compute, have a tunable operand and stayed in float32), both in graph order.
void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial);

}  // namespace halftone
