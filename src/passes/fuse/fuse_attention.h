// Fusion of scaled dot-product attention: MatMul, Softmax and MatMul become one Attention, which
// holds the scores of a few queries at a time in the cache, never the whole score matrix.
//
//   s = q k^T;  p = Softmax(t);  y = p v
//   t = scale s [+ mask] | Where(keep, scale s [+ mask], fill) | Where(keep, scale s, fill) + mask
//
// Unfused nodes round every value to the dtype, the Attention only y. With u the unit roundoff, P
// the exact weights, A = sum |scale q k| and r the number of separate scale nodes before the
// product, the fused and the unfused result, each node rounded once, differ by at most
//   sum_j (P_j (e^d_j sum_i P_i e^d_i (1 + u) - 1) + h) |v_j| + u (|y| + |y'|)
//   d = u ((1 + r) A + 3 |scale s| + |t|),   t the operand of the Softmax,
//   h half the distance of the smallest numbers of the dtype
// unless an intermediate value overflows. Checked by tests/passes/fuse/fuse_attention_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Runs after FuseSoftmax(), which fuses scale and mask into the Softmax. The products have three or
// four axes with equal leading axes; a Transpose that nothing else reads makes k^T, and constant
// factors of q and k are fused too. Masks are those of the Softmax: floating, which is added, bool,
// or both. The node has the name of the Softmax and treats its masks alike: rows of only -inf stay
// NaN and a finite fill stays finite (kernels/attention).
//
// Keys and values whose heads were repeated for groups of queries are read unrepeated
// (src/passes/fuse/grouped_keys.h).
//
// Where q, k and v are heads that a Transpose took from rows, [batch, length, heads, size] to
// [batch, heads, length, size] or [length, heads, size] to [heads, length, size], and another takes
// y back, the Attention reads and writes the rows, [batch, length, heads * size], and the
// Transposes are removed or become a Reshape. Where only k is [batch, length, heads, size], the
// Attention reads it so (StepAttention::key_rows), and its Transpose is removed.
void FuseAttention(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
