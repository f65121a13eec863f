// Fusion of a residual sum into the matrix operator before it.
//
// An Add of two values of the same type, one of them the result of a Conv, Gemm or MatMul that
// nothing else reads, becomes the operand kResidualOperand (src/ir/fused_operands.h) of that
// operator: the sum is rounded once, where the two nodes round twice. The fused node takes the
// place of the Add, because the other value may be computed in between; of two matrix operators the
// later one takes the result of the other. A constant is no residual: per channel it belongs in the
// bias, and other constants gain nothing.
//
// With u the unit roundoff of the dtype, the fused and the unfused result differ by at most u
// |result of the operator| + 2 u |sum|: the rounding of that result, and one rounding of each sum.
// (An activation in between has slope 1 or less, as those of fuse_activation, or multiplies the
// first term by its slope.)
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Operators without an activation: y = act(s + r) when one follows
// (src/passes/fuse/fuse_activation).
void FuseResidual(Graph& graph, const Fusing& fusing = {});

// Operators with an activation: y = act(s) + r.
void FuseResidualAfterActivation(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
