// Fusion of an activation into the matrix operator or BatchNormalization before it.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes a Relu, or a Clip with constant bounds, the Fusion::activation (src/ir/fusion.h) of the
// Conv, Gemm, MatMul or BatchNormalization before it, if nothing else reads the result of that
// operator.
void FuseActivation(Graph& graph, const Fusing& fusing = {});

// Does the same behind a Conv, Gemm or MatMul for each function that IsFusedFunction() knows
// (kernels/tile/epilogue.h), with its attributes, except behind a depthwise Conv, where the fusion
// saves no time. Does it also for a PRelu with constant slopes: one, or one per channel of a Conv
// or column of a product. Slopes stay float32 whatever the dtype. The fused function runs in
// high_precision, whatever the implementation mode of the operator; for another mode the user
// switches this fusion off.
//
// With u the unit roundoff of the dtype and L the largest slope of the function (epilogue.h), the
// fused and the unfused result differ by at most L u |r| + 2 u |y|, where r is the result of the
// operator and y that of the function. The first term is the rounding of r, the second one rounding
// of each y.
void FuseActivationFunction(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
