// Marks of fused loops (Node::chain): element-wise operators that run together, tile by tile, with
// intermediate values in the cache.
//
// A fused loop is a node with those nodes before it whose results have as many elements and are
// read by nodes of the loop alone. Several branches may meet in it; it has one result. Its nodes
// stay unchanged: each has its name, its dtype and implementation mode in a plan, and its one
// rounding, so that fused and unfused results are equal to the bit in every dtype.
// src/exec/chains.h runs them.
//
// Runs last: the other fusions have removed their nodes, into a convolution or an operator of its
// own.
#pragma once

#include "src/ir/graph.h"

namespace halftone {

// Numbers the loops from 1, in Node::chain.
void ChainElementwise(Graph& graph);

}  // namespace halftone
