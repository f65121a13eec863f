// The scores of attention: scale and mask become part of the Softmax behind them.
//
// t = scale x + mask (where masked out the fill, or fill + mask) of a group, y its Softmax; with a
// = |scale x|, 0 where masked out, and u the unit roundoff of the dtype, the fused and the unfused
// form, each node rounded once, differ by at most
//   y_i ((1 + u) e^d_i sum_j y_j e^d_j - 1) + 2u y_i,   d = u (2 a + |t|)
// and, where y is subnormal, two half steps, if nothing in the chain overflows. Checked by
// tests/passes/fuse/fuse_softmax_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Softmax along the last axis of x, or of x times (or divided by) a constant number, then plus a
// mask, then Where of that and a constant number; each step may be missing, and the mask may be
// added behind the Where. Becomes a Softmax with the attributes kSoftmaxScale, kSoftmaxFill,
// kSoftmaxDrop and kSoftmaxMaskLast and the operands mask and keep (kernels/softmax/softmax.h).
// Masks are taken that have whole rows.
void FuseSoftmax(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
