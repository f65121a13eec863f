// Nodes that should stay in FP32, because values leave the range of float16.
#pragma once

#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// First outputs of the FP16 nodes that read or make a value of a magnitude above 65504 when the
// samples run in float32. Nodes stand in the order of the graph.
std::vector<std::string> IslandsOf(const Graph& graph, const NodeChoices& choices,
                                   const Dataset& samples, int threads);

// Advice to keep these nodes in FP32: a sentence. Empty if `names` is empty.
std::string DescribeIslands(const std::vector<std::string>& names);

}  // namespace halftone
