// Fusion of rotary position embedding: the products, halves and sums that exporters write become
// one RotaryEmbedding.
//
//   x C + R(x) S,   R(x) = Concat(-second half, first half), or x with halves or neighbours
//                   exchanged by a Gather and the signs in S
//   Concat(a c - b s, a s + b c) of two new axes of extent 1, a = x[.., 0] and b = x[.., 1]
//
// C, S, c and s are constants. With u the unit roundoff of the dtype, the fused and the unfused
// result, each node rounded once, differ by at most
//   u ((1 + u) (|c a| + |s b|) + |y| + |y'|) and two half steps where these are subnormal
// Checked by tests/passes/fuse/fuse_rope_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// x has three or four axes and is rotated along its whole last axis. The angles may depend on the
// position and on image or head (four axes: the second or the third). Where RotaryEmbedding orders
// the axes differently, the first and the last node of the match become Reshapes before and after
// it; each of the three carries the names of all matched nodes.
void FuseRope(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
