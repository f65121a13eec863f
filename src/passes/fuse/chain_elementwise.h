// Marks element-wise operators that run together, tile by tile: what they make in between never
// leaves the cache.
//
// A chain is a node and those before it whose results, of as many elements, only nodes of the chain
// read. Several branches may meet in it; one value leaves it. Its nodes stay what they are: each
// has its name, its dtype and implementation mode in a plan, and its one rounding, so that fused
// and unfused results are the same to the bit, in every dtype. src/exec/chains.h runs them.
//
// Goes last: what another fusion takes, into a convolution or as an operator of its own, has left
// by then.
#pragma once

#include <string_view>

#include "src/ir/graph.h"

namespace halftone {

// Attribute of a node: the number of its chain, from 1 on. No model has it, and no kernel sees it.
inline constexpr std::string_view kChain = "chain";

void ChainElementwise(Graph& graph);

}  // namespace halftone
