// Tensors that share one scale in 8 bits, because integers are moved from one to the other.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Parts of a Concat share a scale where the largest range is at most so many times the least one:
// beyond that the smaller part would lose more bits than its requantisation costs.
inline constexpr double kMostRangeRatio = 4;

// The value whose range a value takes over: the operand of movers, views, MaxPool and a Resize of
// mode nearest or linear, and further up from there; itself for any other. Parallel to
// Graph::values.
std::vector<ValueId> RangeSources(const Graph& graph);

// Joins the ranges of the parts of each Concat that kMostRangeRatio allows; `ranges` are of the
// sources, parallel to Graph::values. The result of a Concat has the hull of its parts.
void JoinConcats(const Graph& graph, const std::vector<ValueId>& sources,
                 std::vector<ValueRange>& ranges);

}  // namespace halftone
