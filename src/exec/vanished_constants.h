// Constants that a plan rounds to zero in 16 bits, such as an epsilon that is 0 in float16. A later
// operator may divide by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// A constant operand whose nonzero elements are all 0 in the format that the node reads.
struct VanishedConstant {
  NodeId node = kNoNode;
  std::string node_name;
  std::string tensor;
  NumericFormat format;
  std::int64_t count = 0;  // elements that vanish
  double largest = 0;      // the one with the largest magnitude
};

std::vector<VanishedConstant> VanishedConstants(const Graph& graph, NodeId node,
                                                const NodePrecision& precision);

// The same for all nodes, in order.
std::vector<VanishedConstant> VanishedConstants(const Graph& graph, const PrecisionPlan& plan);

// The vanished constants of the node nearest to `node` that has any: `node` itself or one that
// computes what it reads, directly or not. Empty: none of the nearest kNodesSearched nodes has any.
inline constexpr std::size_t kNodesSearched = 32;
std::vector<VanishedConstant> VanishedBefore(const Graph& graph, const PrecisionPlan& plan,
                                             NodeId node);

// "node 'norm/Clip' reads constant 'eps' (1e-12) in float16, where it is 0"
std::string Describe(const VanishedConstant& constant);

}  // namespace halftone
