// Makes the sum with another tensor part of the matrix operator before it.
//
// An Add of two values of the same type, one of which is the result of a Conv, Gemm or MatMul that
// nothing else reads, becomes its operand kResidualOperand (src/ir/fused_operands.h): the sum is
// rounded once, where the two nodes round twice. The fused node stands where the Add stood, because
// the other value may be made in between; of two matrix operators the later one takes the other's
// result. A constant is no residual: per channel it belongs into the bias, and nothing is gained
// for others.
//
// With u the unit roundoff of the dtype, the fused and the unfused form differ by at most
// u |result of the operator| + 2 u |sum|: the result's own rounding, and one rounding of each sum.
// (An activation in between has slope 1 or less, as those of fuse_activation, or the former is
// taken by its slope.)
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Of operators without an activation: y = act(s + r) when one follows
// (src/passes/fuse/fuse_activation).
void FuseResidual(Graph& graph, const Fusing& fusing = {});

// Of operators with one: y = act(s) + r.
void FuseResidualAfterActivation(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
