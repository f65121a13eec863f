// Constants that a plan rounds to zero in 16 bits, such as an epsilon that is 0 in float16. A later
// operator may then divide by 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// A constant operand whose nonzero elements all become 0 in the format in which the node reads it.
struct VanishedConstant {
  NodeId node = kNoNode;
  std::string node_name;
  std::string tensor;
  NumericFormat format;
  std::int64_t count = 0;  // elements that vanish
  double largest = 0;      // the element with the largest magnitude
};

// Vanished constants that `node` reads in float16 or bfloat16.
std::vector<VanishedConstant> VanishedConstants(const Graph& graph, NodeId node,
                                                const NodePrecision& precision);

// Vanished constants of all nodes, in order.
std::vector<VanishedConstant> VanishedConstants(const Graph& graph, const PrecisionPlan& plan);

// Most nodes that VanishedBefore() looks at.
inline constexpr std::size_t kNodesSearched = 32;
// Vanished constants of the nearest node that reads any: `node` itself, or a node whose results it
// reads directly or through other nodes. Empty if none of the nodes looked at reads any.
std::vector<VanishedConstant> VanishedBefore(const Graph& graph, const PrecisionPlan& plan,
                                             NodeId node);

// "node 'norm/Clip' reads constant 'eps' (1e-12) in float16, where it is 0"
std::string Describe(const VanishedConstant& constant);

}  // namespace halftone
