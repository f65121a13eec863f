// Fusion of scale and mask into the Softmax of attention scores.
//
// Let t = scale x + mask be the operand of the Softmax; where x is masked out, t is the fill or
// fill + mask. Let y be the Softmax of t, a = |scale x|, or 0 where x is masked out, and u the unit
// roundoff of the dtype. With each node rounded once, the fused and the unfused result differ by at
// most
//   y_i ((1 + u) e^d_i sum_j y_j e^d_j - 1) + 2u y_i,   d = u (2 a + |t|)
// and two half steps where y is subnormal, unless an intermediate value overflows.
// tests/passes/fuse/fuse_softmax_test.cc checks this bound.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses the nodes that compute the operand of a Softmax along its last axis. They multiply x by a
// constant number or divide it, add a mask, and select between the sum and a constant fill by a
// Where; each step may be missing. The mask may also be added behind the Where. The result is a
// Softmax with Fusion::softmax and the operands mask and keep (kernels/softmax/softmax.h). The last
// axis of both masks must be as long as that of x.
void FuseSoftmax(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
