// Fused loops of element-wise operators (Node::chain), which run together, tile by tile, with
// intermediate values in the cache.
//
// A fused loop is an element-wise node together with all such nodes before it whose results have
// the same shape and are read only by nodes of the loop. Several branches may meet in a loop; it
// has one result. Its nodes do not change: each keeps its name, its dtype and implementation mode
// in a plan, and its one rounding. So results are equal to the bit with and without the loop, in
// every dtype. src/exec/chains.h runs the loops.
//
// This pass comes after all other fusions, which have by then removed the element-wise nodes that
// they fuse.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Finds the loops and sets Node::chain of their nodes to the number of the loop, from 1.
void ChainElementwise(Graph& graph);

}  // namespace halftone
