// Fusion of a Transpose into the product that reads its result as operand B: products q k^T that
// fuse_attention leaves alone, because another node reads scores or weights, and every other
// product with a transposed operand.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes a Transpose whose result only a MatMul reads, as operand B, the Fusion::b_perm
// (src/ir/fusion.h) of the MatMul; that of a Gemm inverts its transB. Condition: the
// last axis becomes the axis that is summed over. The rows of k, [.., length, size] or [batch,
// length, heads, size], are then the columns of B, and are packed without a copy
// (kernels/tile/pack_columns.h). Results are equal to the bit except up to 4 rows, where the order
// of sums may differ (kernels/gemm/few_rows.h).
void FuseTranspose(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
