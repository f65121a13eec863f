// Least work of a node of a network, by which its speed is judged.
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct NodeWork {
  // Multiply-adds of a matrix operator or convolution, with taps in the padding; 0 for other
  // operators.
  double multiply_adds = 0;
  double bytes = 0;  // operands and results, each once, in the dtypes of the graph
};

NodeWork WorkOf(const Graph& graph, const Node& node);

// Shapes of the operands that are not scalars: "1x64x56x56, 64x64x3x3".
std::string ShapesOf(const Graph& graph, const Node& node);

}  // namespace halftone
