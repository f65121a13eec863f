// Fusion of scale and mask into the Softmax of attention scores.
//
// With t = scale x + mask (masked out: the fill, or fill + mask) of a group, y its Softmax,
// a = |scale x|, 0 where masked out, and u the unit roundoff of the dtype, the fused and the
// unfused result, each node rounded once, differ by at most
//   y_i ((1 + u) e^d_i sum_j y_j e^d_j - 1) + 2u y_i,   d = u (2 a + |t|)
// and two half steps where y is subnormal, unless an intermediate value overflows. Checked by
// tests/passes/fuse/fuse_softmax_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Operand of the Softmax, along its last axis: x, optionally times (or divided by) a constant
// number, then optionally plus a mask, then optionally the Where of that and a constant number; the
// mask may be added after the Where. The result is a Softmax with Fusion::softmax and the operands
// mask and keep (kernels/softmax/softmax.h). Masks must have whole rows.
void FuseSoftmax(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
