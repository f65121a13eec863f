// Constants with infinities or NaN, which 8 bits cannot hold: their operators stay out of 8 bits,
// except functions of one number, whose tables are made in float32.
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

// False if `node` reads a floating constant with an element that is not finite and is no function
// of one number.
bool HasFiniteConstants(const Graph& graph, const Node& node);

// The first non-finite constant of each node that may otherwise run in 8 bits (HasIntegerForm()).
std::vector<NonFiniteConstant> NonFiniteConstants(const Graph& graph);

// "node 'fc' stays out of 8 bits: its constant 'w' holds -inf at element 3"
std::string Describe(const NonFiniteConstant& constant);

}  // namespace halftone
