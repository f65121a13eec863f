// Scaled dot products: MatMul, Softmax and MatMul become one Attention, which keeps the scores of a
// few queries at a time in the cache and never has the whole matrix of them.
//
//   s = q k^T;  p = Softmax(t);  y = p v
//   t = scale s [+ mask] | Where(keep, scale s [+ mask], fill) | Where(keep, scale s, fill) + mask
//
// The nodes round every value to the dtype, the Attention only y. With u the unit roundoff, P the
// exact weights, A = sum |scale q k|, r the scales that were nodes of their own before the product,
// fused and unfused, each node rounded once, differ by at most
//   sum_j (P_j (e^d_j sum_i P_i e^d_i (1 + u) - 1) + h) |v_j| + u (|y| + |y'|)
//   d = u ((1 + r) A + 3 |scale s| + |t|),   t what the Softmax is of,
//   h half the distance of the smallest numbers of the dtype
// if nothing in the chain overflows. Checked by tests/passes/fuse/fuse_attention_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Goes after FuseSoftmax(), which makes scale and mask part of the Softmax. Products of three or
// four axes with equal leading axes; k^T must be made by a Transpose that nothing else reads, and
// constant factors of q and k are taken along. Masks are those that the Softmax has: floating,
// which is added, of bool, or both. The node has the name of the Softmax, and treats its masks as
// that did: rows of nothing but -inf stay NaN and a finite fill stays one (kernels/attention).
//
// Heads of keys and values that were repeated for groups of queries are read as they are
// (src/passes/fuse/grouped_keys.h).
//
// Where q, k and v are heads that a Transpose took out of rows, [batch, length, heads, size] to
// [batch, heads, length, size] or [length, heads, size] to [heads, length, size], and y goes back
// by one, the Attention reads and writes the rows, [batch, length, heads * size], and the
// Transposes go, or become the Reshape that is left of them. Where only k is [batch, length, heads,
// size], it is read so (kAttentionKeyRows), and its Transpose goes.
void FuseAttention(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
