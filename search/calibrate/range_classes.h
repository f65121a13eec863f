// Tensors that share one scale in 8 bits, because integers are moved from one to the other.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Operands of a Concat share a scale if the largest of their ranges is at most this multiple of the
// least. Beyond that, the smaller operand would lose more than its requantisation costs.
inline constexpr double kMostRangeRatio = 4;

// The source of each value, whose range the value takes. The source of the result of a mover, a
// view, MaxPool or a Resize of mode nearest or linear is the source of its operand; any other value
// is its own source. Parallel to Graph::values.
std::vector<ValueId> RangeSources(const Graph& graph);

// Joins the ranges of the operands of each Concat where kMostRangeRatio allows. `ranges` are those
// of the sources, parallel to Graph::values. The result of a Concat takes the hull of its operands'
// ranges.
void JoinConcats(const Graph& graph, const std::vector<ValueId>& sources,
                 std::vector<ValueRange>& ranges);

}  // namespace halftone
