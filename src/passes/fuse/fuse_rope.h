// Fusion of rotary position embedding to one RotaryEmbedding. Exporters write it in two forms, with
// constants C, S, c and s:
//
//   x C + R(x) S
//   Concat(a c - b s, a s + b c)
//
// R(x) is Concat(-second half, first half), or a Gather that exchanges halves or neighbours while S
// has the signs. The Concat is along the last axis; a and b are the elements of a pair.
//
// With u the unit roundoff of the dtype and each node rounded once, the fused result y and the
// unfused result y' differ by at most
//   u ((1 + u) (|c a| + |s b|) + |y| + |y'|)
// and two half steps where these are subnormal. tests/passes/fuse/fuse_rope_test.cc checks this.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses each match. x has three or four axes and is rotated along its whole last axis. The angles
// may depend on the position, the image and the head; with four axes, positions are along the
// second or the third. If RotaryEmbedding needs another shape of x, the first and the last node of
// the match become Reshapes before and after it; each of these three nodes has the names of all
// matched nodes.
void FuseRope(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
