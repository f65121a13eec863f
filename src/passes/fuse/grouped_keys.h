// Grouped-query attention: heads of queries that share keys and values.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes each Attention from a pass read the unrepeated heads of keys and values. Exporters repeat
// [batch, heads, length, size] by Unsqueeze (or Reshape) to [batch, heads, 1, length, size], Expand
// to [batch, heads, times, length, size] and Reshape to [batch, heads * times, length, size].
// Nothing else may read the values in between; keys and values must have equal heads. Results are
// equal to the bit: Attention shares a head among as many neighbours.
void ShareGroupedKeys(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
