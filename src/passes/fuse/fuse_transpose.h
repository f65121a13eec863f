// Fusion of a Transpose into the product that reads its result as operand B. This includes products
// q k^T that FuseAttention() cannot fuse, because another node reads their scores or the result of
// their Softmax.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses a Transpose of a computed value if a MatMul or Gemm is the only reader of its result, as
// operand B, and if the Transpose moves the last axis to the axis that is summed over. The
// permutation becomes Fusion::b_perm (src/ir/fusion.h) of a MatMul, or inverts transB of a Gemm.
// The rows of the operand, such as k of [.., length, size] or [batch, length, heads, size], are
// then the columns of B and are packed without a copy (kernels/tile/pack_columns.h). Results are
// equal to the bit, except for products of up to 4 rows, where the order of sums may differ
// (kernels/gemm/few_rows.h).
void FuseTranspose(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
