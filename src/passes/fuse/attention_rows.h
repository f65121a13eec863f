// Attention on rows, [batch, length, heads * size], where Transposes split them into heads.
#pragma once

#include <cstdint>
#include <vector>

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// The axes of a Transpose: its attribute, or the reverse order.
std::vector<std::int64_t> PermutationOf(const Graph& graph, const Node& transpose);

// The second step of FuseAttention() (src/passes/fuse/fuse_attention.h).
void AttendToRows(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
