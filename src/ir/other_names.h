// Other names of a node: those of the file, where the importer changed them to make names unique.
// The node "act" in the body of a Loop becomes "loop/0/act", "loop/1/act", ..., and the second of
// two nodes "act" becomes "act_2". A configuration file may use the name of the file, which then
// means all of these nodes.
//
// Other names stand in Node::origins as origins without a type, behind the origin that they belong
// to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

inline Origin OtherName(std::string name) {
  return {std::move(name), {}, {}};
}

inline bool IsOtherName(const Origin& origin) {
  return origin.type.empty();
}

// The names of the node itself, Node::name first, without those of nodes fused into it.
std::vector<std::string_view> OwnNames(const Node& node);

// A name that several nodes of the file share, and the names of these nodes in the graph.
struct SharedName {
  std::string name;
  std::vector<std::string> nodes;  // sorted; for a Loop or Scan the first iteration
};

// The members of `names` that several nodes of the file share, in the order of `names`.
std::vector<SharedName> SharedNames(const Graph& graph, const std::vector<std::string>& names);

}  // namespace halftone
