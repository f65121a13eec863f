// Which nodes a precision mode can change, and which of those it makes sense to keep.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// An operand or result of the letter T in the operator's signature is float32, float16 or bfloat16
// in the model.
bool HasTunableOperand(const Graph& graph, const Node& node);

// It also computes: an operator that only moves data has no rounding errors of its own.
bool IsTunableComputation(const Graph& graph, const Node& node);

}  // namespace halftone
