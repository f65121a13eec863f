// Range classes: tensors that share one scale in 8 bits, because integers are moved from one to the
// other.
#pragma once

#include <vector>

#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Operands of a Concat share a scale if the largest of their ranges is at most this multiple of the
// smallest. With a larger multiple, the smaller operand would lose more than its requantisation
// costs.
inline constexpr double kMostRangeRatio = 4;

// Range sources: for each value, the value whose range it takes. The result of a mover, a view,
// MaxPool or a Resize that interpolates (mode nearest or linear, but not tf_crop_and_resize) takes
// the source of its operand. Every other value is its own source. Parallel to Graph::values.
std::vector<ValueId> RangeSources(const Graph& graph);

// Joins the ranges of the operands of each Concat if kMostRangeRatio allows it. The result of a
// Concat takes the hull of its operands' ranges. `ranges` has those of the sources and is parallel
// to Graph::values.
void JoinConcats(const Graph& graph, const std::vector<ValueId>& sources,
                 std::vector<ValueRange>& ranges);

}  // namespace halftone
