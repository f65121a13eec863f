// Grouped queries: heads of queries that share keys and values.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Of each Attention that a pass made: where exporters repeat every head of keys and values,
// [batch, heads, length, size] by Unsqueeze (or Reshape) to [batch, heads, 1, length, size], Expand
// to [batch, heads, times, length, size] and Reshape to [batch, heads * times, length, size], it
// reads the heads themselves. Nothing else may read what lies between; keys and values must have
// equal heads. The results keep their bits: Attention shares a head among as many neighbours.
void ShareGroupedKeys(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
