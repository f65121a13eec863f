// Fusion of an activation into the matrix operator or BatchNormalization before it.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Relu, and Clip with constant bounds, after a Conv, Gemm, MatMul or BatchNormalization whose
// result nothing else reads, become its Fusion::activation (src/ir/fusion.h).
void FuseActivation(Graph& graph, const Fusing& fusing = {});

// The same for functions of one operand that IsFusedFunction() knows (kernels/tile/epilogue.h),
// with their own attributes, except after depthwise convolutions, where nothing is gained; and for
// PRelu whose slopes are constant, one, or one per channel of a Conv or column of a Gemm or MatMul.
// Slopes stay float32 whatever the dtype. The function runs in high_precision, whatever the
// implementation mode of the operator; for another mode the user switches this fusion off.
//
// With u the unit roundoff of the dtype and L the largest slope of the function (epilogue.h), the
// fused and the unfused result differ by at most L u |result of the operator| + 2 u |y|: the
// rounding of that result, and one rounding of the function in each.
void FuseActivationFunction(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
