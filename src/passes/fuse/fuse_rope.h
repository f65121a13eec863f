// Rotary position embedding: the products, halves and sums that exporters write become one
// RotaryEmbedding.
//
//   x C + R(x) S,   R(x) = Concat(-second half, first half), or x with its elements exchanged by a
//                   Gather: halves, or neighbours, with the signs in S
//   Concat(a c - b s, a s + b c) of two new axes of extent 1, with a and b x[.., 0] and x[.., 1]
//
// C and S, c and s are constants. With u the unit roundoff of the dtype, fused and unfused, each
// node rounded once, differ by at most
//   u ((1 + u) (|c a| + |s b|) + |y| + |y'|) and two half steps where these are subnormal
// Checked by tests/passes/fuse/fuse_rope_test.cc.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// x of three or four axes, turned along its whole last axis. The angles may depend on the position
// and on image or head (four axes: the second or the third). Where RotaryEmbedding has the axes in
// another way, the first and the last node of the chain become the Reshape before and behind it;
// each of the three carries the names of all nodes of the chain.
void FuseRope(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
