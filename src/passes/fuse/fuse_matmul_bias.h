// Fusion of a batched matrix product with its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes a constant bias the operand kBiasOperand (src/ir/fused_operands.h) of a MatMul whose result
// has three axes or more. An Add of the bias must be the only reader of this result, and the bias
// has one value or one value per column. The sum is then rounded once. With u the unit roundoff of
// the dtype, the fused and the unfused result differ by at most u |product| + 2 u |sum|. For the
// product of two matrices see src/passes/fuse/matmul_to_gemm.h.
void FuseMatMulBias(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
