// Makes one node of a chain of operators, by a table of patterns.
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
};

struct ChainRow {
  std::string_view pattern;
  // Empty for a chain that is not what it looks like. May add constants to the graph where it is
  // not empty.
  std::optional<FusedChain> (*make)(Graph& graph, const ChainMatch& match,
                                    const Fusing& fusing) = nullptr;
};

// A chain is fused when its values are of one tunable dtype and none of them but the last is read
// by others or is an output of the network. Rows are tried in order at each node, the last node of
// the graph first, so that a longer chain is found before one that it holds.
void FuseChains(Graph& graph, std::span<const ChainRow> rows, const Fusing& fusing);

// The first node of the chain with this operator; null: none.
const Node* FindInChain(const Graph& graph, const ChainMatch& match, OpKind op);

// The value of a constant of one element.
double ScalarOf(const Graph& graph, ValueId id);

// The value that the last node of the chain makes.
const Value& ResultOf(const Graph& graph, const ChainMatch& match);

}  // namespace halftone
