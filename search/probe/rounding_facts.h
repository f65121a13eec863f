// Effect of rounding the tensors of one group of operators to a format: the evidence for why it is
// kept in float32 (search/explain/causes.h).
#pragma once

#include <cstdint>
#include <span>

#include "search/probe/sensitivity.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Of one sample. `operands` is what the group reads and `results` what it makes of that in float32;
// tensors that are not float32 do not count. RoundingFacts::operands, results and tiny_share are
// filled.
RoundingFacts RoundingFactsOf(std::span<const Tensor> operands, std::span<const Tensor> results,
                              NumericFormat format);

// How many products or elements the longest sum of the nodes adds up; 1 where none sums.
std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace halftone
