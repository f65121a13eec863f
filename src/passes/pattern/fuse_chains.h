// Fusion of each match of a pattern into one node, by a table of patterns.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/passes/pattern/chain_pattern.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// The node that replaces a match.
struct FusedChain {
  OpKind op = OpKind::kIdentity;
  OpKind main = OpKind::kIdentity;  // the first matched node of this type gives it the name
  std::vector<ValueId> inputs;
  Attributes attributes;
  Fusion fusion;
};

struct ChainRow {
  std::string_view pattern;
  // Makes the fused node and adds its constants to the graph. Empty: the operator does not cover
  // the match, and the graph has not changed.
  std::optional<FusedChain> (*make)(Graph& graph, const ChainMatch& match,
                                    const Fusing& fusing) = nullptr;
};

// Fuses each match whose values all have the same tunable dtype, and whose values except the result
// have no other readers and are no outputs of the network. Goes through the nodes from the last to
// the first, so that it finds a match before the shorter matches inside it, and tries the rows in
// their order at each node.
void FuseChains(Graph& graph, std::span<const ChainRow> rows, const Fusing& fusing);

// The first node of the match with this operator; null: there is none.
const Node* FindInChain(const Graph& graph, const ChainMatch& match, OpKind op);

// The number in a constant of one element.
double ScalarOf(const Graph& graph, ValueId id);

// The result of the match, which its last node computes.
const Value& ResultOf(const Graph& graph, const ChainMatch& match);

}  // namespace halftone
