// Fusion of Attention with the Transposes that split rows, [batch, length, heads * size], into
// heads and join them again.
#pragma once

#include <cstdint>
#include <vector>

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// The permutation of a Transpose: its attribute `perm`, or the axes in reverse order.
std::vector<std::int64_t> PermutationOf(const Graph& graph, const Node& transpose);

// Makes each Attention from FuseAttention() read and write rows, as
// src/passes/fuse/fuse_attention.h describes. FuseAttention() calls it last.
void AttendToRows(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
