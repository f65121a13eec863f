// Constants of a plan of which 16 bits leave nothing: an epsilon that is 0 in float16. What follows
// may divide by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// A constant operand whose elements that are not 0 all are in the format that the node reads.
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

// Of all nodes, in order.
std::vector<VanishedConstant> VanishedConstants(const Graph& graph, const PrecisionPlan& plan);

// Of the nodes that make what `node` reads, the nearest that has one, the node included; empty:
// none of the nearest kNodesSearched has.
inline constexpr std::size_t kNodesSearched = 32;
std::vector<VanishedConstant> VanishedBefore(const Graph& graph, const PrecisionPlan& plan,
                                             NodeId node);

// "node 'norm/Clip' reads constant 'eps' (1e-12) in float16, where it is 0"
std::string Describe(const VanishedConstant& constant);

}  // namespace halftone
