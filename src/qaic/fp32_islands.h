// Nodes to keep in FP32 where values leave the range of float16.
#pragma once

#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"
#include "src/qaic/node_choice.h"

namespace halftone {

// First outputs of the FP16 nodes that make or read a value beyond 65504 in float32 on the samples,
// in order: the producer and its readers, up to the point where values are small again. Empty:
// none.
std::vector<std::string> IslandsOf(const Graph& graph, const NodeChoices& choices,
                                   const Dataset& samples, int threads);

// The sentence that says so; empty for no names.
std::string DescribeIslands(const std::vector<std::string>& names);

}  // namespace halftone
