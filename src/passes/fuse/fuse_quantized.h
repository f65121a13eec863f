// Fusion of DequantizeLinear, a matrix operator and QuantizeLinear to one operator on integers.
//
// Let v be the exact result divided by the output scale, and e the error of the float operator in
// the same unit. The unfused nodes round v + e to an integer; the fused operator rounds v, computed
// in float32 (kernels/quantized/quantized.h). The two integers differ only if v is within
// |e| + 2^-23 |v| of the middle between two integers, and by at most 1 if |e| < 1/2 - 2^-24 |v|. If
// the scale of the bias is off by a relative 2^-20, this distance grows by 2^-20 of the bias.
// tests/passes/fuse/fuse_quantized_test.cc checks this.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Makes a Conv, MatMul or Gemm a QLinearConv or QLinearMatMul if
// - both operands come from DequantizeLinear, of 8-bit data and of constant 8-bit weights;
// - only a QuantizeLinear to 8 bits reads its result, or a Relu before such a QuantizeLinear, if
//   saturation at the least integer has the effect of the Relu;
// - all scales and zero points are constant, one per tensor, or for weights one per result channel;
// - a bias comes from a DequantizeLinear of constant int32, whose scale is the product of both
//   operands' scales up to a relative 2^-20.
// Runs before constants are folded, because a folded DequantizeLinear has lost its integers.
void FuseQuantized(Graph& graph);

}  // namespace halftone
