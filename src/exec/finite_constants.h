// Constants with infinities or NaN, which 8 bits cannot hold. An operator with such a constant
// stays out of 8 bits. Functions of one number are the exception, since their tables are made in
// float32.
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
  std::int64_t element = 0;  // index of the first such element
  double value = 0;
};

// True if `node` is a function of one number (IsByteFunction()), or if all elements of its floating
// constants are finite.
bool HasFiniteConstants(const Graph& graph, const Node& node);

// First non-finite constant of each node that could run in 8 bits otherwise (HasIntegerForm()).
std::vector<NonFiniteConstant> NonFiniteConstants(const Graph& graph);

// "node 'fc' stays out of 8 bits: its constant 'w' holds -inf at element 3"
std::string Describe(const NonFiniteConstant& constant);

}  // namespace halftone
