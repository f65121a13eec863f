// Fusion of scaled dot-product attention: MatMul, Softmax and MatMul become one Attention. It holds
// the scores of a few queries at a time in the cache and never stores the whole score matrix.
//
//   s = q k^T;  p = Softmax(t);  y = p v
//   t = scale s [+ mask] | Where(keep, scale s [+ mask], fill) | Where(keep, scale s, fill) + mask
//
// Unfused nodes round every value to the dtype; the Attention rounds only y. Let y' be the unfused
// result with each node rounded once, u the unit roundoff, P the exact result of the Softmax,
// A = sum |scale q k|, r the number of scale nodes before the product, and h half the spacing of
// the subnormal numbers of the dtype. Unless an intermediate value overflows, y and y' differ by at
// most
//   sum_j (P_j (e^d_j sum_i P_i e^d_i (1 + u) - 1) + h) |v_j| + u (|y| + |y'|)
//   d = u ((1 + r) A + 3 |scale s| + |t|)
// tests/passes/fuse/fuse_attention_test.cc checks this bound.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses attention in three steps. It runs after FuseSoftmax(), which fuses scale and mask into the
// Softmax.
//
// First it matches the nodes above. The products have three or four axes with equal leading axes,
// and a Transpose that nothing else reads makes k^T. Constant factors of q and k are fused too.
// Masks are those of the Softmax: one of floats, which is added, one of bool, or both. The
// Attention takes the name of the Softmax and treats masks as it does: a row of only -inf stays
// NaN, and a finite fill stays finite (kernels/attention). If the keys and values of a head exceed
// 8 MiB in float32, nothing is fused, because unfused nodes are faster.
//
// Then it removes the repetition of keys and values for groups of queries
// (src/passes/fuse/grouped_keys.h).
//
// Last it removes the exchange of heads and positions (src/passes/fuse/attention_rows.h). q, k and
// v may come from Transposes of [batch, length, heads, size] to [batch, heads, length, size], or of
// [length, heads, size] to [heads, length, size], and another Transpose may exchange the axes of y
// back. Then the Attention reads and writes rows, [batch, length, heads * size], and the Transposes
// are removed or become Reshapes. If only k comes from [batch, length, heads, size], the Attention
// reads k in that layout (StepAttention::key_rows), and the Transpose of k is removed.
void FuseAttention(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
