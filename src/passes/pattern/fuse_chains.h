// Fusion of pattern matches into one node each, by a table of patterns.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/passes/pattern/chain_pattern.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

struct FusedChain {
  OpKind op = OpKind::kIdentity;
  OpKind main = OpKind::kIdentity;  // the first node of this type gives the fused one its name
  std::vector<ValueId> inputs;
  Attributes attributes;
  Fusion fusion;
};

struct ChainRow {
  std::string_view pattern;
  // Empty for a match that the operator does not cover. Adds constants to the graph only where the
  // result is not empty.
  std::optional<FusedChain> (*make)(Graph& graph, const ChainMatch& match,
                                    const Fusing& fusing) = nullptr;
};

// A match is fused when its values have one tunable dtype and no value but the last has other
// readers or is an output of the network. Rows are tried in order at each node, from the last node
// of the graph, so that a match is found before the shorter matches inside it.
void FuseChains(Graph& graph, std::span<const ChainRow> rows, const Fusing& fusing);

// The first node of the match with this operator; null: none.
const Node* FindInChain(const Graph& graph, const ChainMatch& match, OpKind op);

// The number in a constant of one element.
double ScalarOf(const Graph& graph, ValueId id);

// The value that the last node of the match computes.
const Value& ResultOf(const Graph& graph, const ChainMatch& match);

}  // namespace halftone
