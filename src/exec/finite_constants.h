// Constants with infinities or NaN, which have no 8-bit form: their operators stay out of 8 bits,
// but for functions of a number, whose tables are made by float32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// A constant operand of a node with an element that is not finite.
struct NonFiniteConstant {
  std::string node;
  std::string tensor;
  std::int64_t element = 0;  // the first such one
  double value = 0;
};

// False: a floating constant that the node reads, no function of a number, has an element that is
// not finite.
bool HasFiniteConstants(const Graph& graph, const Node& node);

// The first of each node, of the nodes that may run in 8 bits otherwise (HasIntegerForm()).
std::vector<NonFiniteConstant> NonFiniteConstants(const Graph& graph);

// "node 'fc' stays out of 8 bits: its constant 'w' holds -inf at element 3"
std::string Describe(const NonFiniteConstant& constant);

}  // namespace halftone
