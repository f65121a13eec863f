// Least work of a node of a network: the yardstick of its speed.
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct NodeWork {
  double multiply_adds = 0;  // of Conv, Gemm and MatMul, taps in the padding included; else 0
  double bytes = 0;          // operands and results, each once, in the dtypes of the graph
};

NodeWork WorkOf(const Graph& graph, const Node& node);

// "1x64x56x56, 64x64x3x3": types of the operands that are not scalars.
std::string ShapesOf(const Graph& graph, const Node& node);

}  // namespace halftone
