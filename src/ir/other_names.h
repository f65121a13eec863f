// Names that a node has in the file besides its name here: the importer makes names unique, so that
// the node "act" in the body of a Loop is "loop/0/act", "loop/1/act", ..., and the second of two
// nodes "act" is "act_2". Configuration files may use the name of the file: it then means all of
// them.
//
// They stand among Node::origins, behind the origin that has them, as origins without a type.
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

// The names of the node itself, without those of what was fused into it: Node::name first.
std::vector<std::string_view> OwnNames(const Node& node);

// A name of the file that means several of its nodes, and what they are called here.
struct SharedName {
  std::string name;
  std::vector<std::string> nodes;  // sorted; of the iterations of a Loop or Scan the first
};

// Of `names` those that several nodes of the file have, in the order of `names`.
std::vector<SharedName> SharedNames(const Graph& graph, const std::vector<std::string>& names);

}  // namespace halftone
