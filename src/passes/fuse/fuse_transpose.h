// Makes the Transpose of a computed B part of the product that reads it: scores q k^T whose scores
// or weights somebody else reads, so that fuse_attention leaves them, and every other product by a
// transpose.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A Transpose that nothing else reads and that makes operand B of a MatMul becomes its attribute
// kTransposedB (src/ir/fused_operands.h), that of a Gemm exchanges its transB. Taken are those
// whose last axis becomes the one that is summed over: the rows of k, [.., length, size] or
// [batch, length, heads, size], are the columns of B and are packed as they lie
// (kernels/tile/pack_columns.h). The results keep their bits but for up to 4 rows, where sums may
// be in another order (kernels/gemm/few_rows.h).
void FuseTranspose(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
