// Fusion of a batch of matrix products with its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A MatMul of rank 3 or more takes a constant as operand kBiasOperand (src/ir/fused_operands.h)
// where the only reader of its result is an Add of that constant, which has one value per column or
// one value in all: the sum is rounded once. With u the unit roundoff of the dtype, the fused and
// the unfused result differ by at most u |product| + 2 u |sum|. Products of two matrices become a
// Gemm (src/passes/fuse/matmul_to_gemm.h).
void FuseMatMulBias(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
