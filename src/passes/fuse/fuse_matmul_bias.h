// Gives a batch of matrix products its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// MatMul of rank 3 or more whose result is read only by an Add of a constant with one value per
// column (or one value) takes it as operand kBiasOperand (src/ir/fused_operands.h): the sum is
// rounded once. With u the unit roundoff of the dtype, both forms differ by at most
// u |product| + 2 u |sum|. Products of two matrices become a Gemm
// (src/passes/fuse/matmul_to_gemm.h).
void FuseMatMulBias(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
