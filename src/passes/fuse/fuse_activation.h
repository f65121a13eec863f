// Makes an activation part of the matrix operator or BatchNormalization before it.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Relu, and Clip with constant bounds, behind a Conv, Gemm, MatMul or BatchNormalization whose
// result nothing else reads, become its attributes kActivation, kActivationMin and kActivationMax
// (src/ir/graph.h).
void FuseActivation(Graph& graph, const Fusing& fusing = {});

// Likewise the functions of one operand that IsFusedFunction() knows (kernels/tile/epilogue.h),
// with their own attributes (src/ir/fused_operands.h), not behind depthwise convolutions, where
// nothing is gained; and PRelu whose slopes are constant, one or one of each channel of a Conv or
// column of a Gemm or MatMul. Slopes stay float32 whatever the dtype. They are computed in their
// high_precision form, whatever the implementation mode of the operator: who wants another switches
// this fusion off.
//
// With u the unit roundoff of the dtype and L the largest slope of the function (epilogue.h), the
// fused and the unfused form differ by at most L u |result of the operator| + 2 u |y|: the
// result's own rounding, and one rounding of the function in each.
void FuseActivationFunction(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
