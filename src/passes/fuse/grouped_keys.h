// Grouped-query attention: several heads of queries share one head of keys and values.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Makes each Attention from FuseAttention() read keys and values before they are repeated for
// groups of queries. Exporters repeat [batch, heads, length, size] by Unsqueeze (or Reshape) to
// [batch, heads, 1, length, size], Expand to [batch, heads, times, length, size] and Reshape to
// [batch, heads * times, length, size]. Nothing else may read the values in between, and keys and
// values must have the same number of heads. Results are equal to the bit, because Attention itself
// shares a head of keys among `times` neighbouring heads of queries.
void ShareGroupedKeys(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
