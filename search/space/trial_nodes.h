// The node names that a trial carries: what its plan lowered and what stayed in float32.
#pragma once

#include "search/trial/trial.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Fills trial.low_precision_nodes (compute dtype float16 or bfloat16) and trial.kept_nodes (nodes
// that compute, have a tunable operand and stayed in float32), both in graph order.
void FillNodeNames(const Graph& graph, const PrecisionPlan& plan, Trial& trial);

}  // namespace halftone
