// Effect of rounding the tensors of one group of operators to a format: the evidence for why it is
// kept in float32 (search/explain/causes.h).
#pragma once

#include <cstdint>
#include <span>

#include "search/probe/sensitivity.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// Facts for one sample. `operands` and `results` are those of the group in float32; tensors of
// other dtypes do not count. Fills RoundingFacts::operands, results and tiny_share.
RoundingFacts RoundingFactsOf(std::span<const Tensor> operands, std::span<const Tensor> results,
                              NumericFormat format);

// Number of terms of the longest sum in the nodes; 1 where none sums.
std::int64_t LongestSum(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace halftone
