// Fusion of a residual sum into the matrix operator before it.
//
// The Add has two operands of the same type, and one of them is the result of a Conv, Gemm or
// MatMul that nothing else reads. The other operand, the residual, becomes operand kResidualOperand
// (src/ir/fused_operands.h) of that operator. The sum is then rounded once; two nodes round twice.
// The fused node takes the place of the Add, because the residual may be computed between the two
// nodes. If both operands are results of matrix operators, the later operator takes the result of
// the other. A constant is no residual: a constant per channel belongs in the bias, and for other
// constants the fusion saves nothing.
//
// With u the unit roundoff of the dtype, the fused and the unfused result differ by at most
// u |r| + 2 u |sum|, where r is the result of the operator. The first term is the rounding of r,
// the second one rounding of each sum. An activation between r and the Add multiplies the first
// term by its largest slope, which is 1 for those of FuseActivation().
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses residuals r into operators without an activation: y = s + r. An activation behind the Add
// can be fused later: y = act(s + r) (src/passes/fuse/fuse_activation.h).
void FuseResidual(Graph& graph, const Fusing& fusing = {});

// Fuses residuals r into operators with a fused activation: y = act(s) + r.
void FuseResidualAfterActivation(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
