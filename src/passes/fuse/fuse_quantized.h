// Fusion of DequantizeLinear, a matrix operator and QuantizeLinear: the product runs on the
// integers.
//
// With v the exact result divided by the output scale and e the error of the float operator there,
// the unfused nodes round v + e to an integer, the fused operator v in float32
// (kernels/quantized/quantized.h): results differ by at most one step where |e| < 1/2 - 2^-24 |v|,
// and only where v is within |e| + 2^-23 |v| of the middle between two integers. A scale of the
// bias that is off by a relative 2^-20 adds 2^-20 of the bias to that. Checked by
// tests/passes/fuse/fuse_quantized_test.cc.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// DequantizeLinear of 8-bit data and of constant 8-bit weights, then Conv, MatMul or Gemm whose
// result only a QuantizeLinear to 8 bits reads, with or without a Relu that its saturation
// computes, become QLinearConv or QLinearMatMul. All scales and zero points are constant, one per
// tensor, or for weights one per result channel. A bias is a DequantizeLinear of constant int32
// with the product of both scales, up to a relative 2^-20. Runs before constants are folded,
// because a folded DequantizeLinear has lost its integers.
void FuseQuantized(Graph& graph);

}  // namespace halftone
