// Other names of a node: its name in the ONNX file, if the importer changed that to make names
// unique. The node "act" in the body of a Loop becomes "loop/0/act", "loop/1/act", ...; the second
// of two nodes "act" becomes "act_2". A configuration file may use the name of the ONNX file, which
// means all these nodes.
//
// Node::origins holds another name as an Origin without a type, behind the origin to which it
// belongs.
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

// Returns Node::name and the other names of that node, without the names of nodes fused into it.
std::vector<std::string_view> OwnNames(const Node& node);

// A name that several nodes of the ONNX file share, and the names of these nodes in the graph.
struct SharedName {
  std::string name;
  std::vector<std::string> nodes;  // sorted; of iterations of a Loop or Scan only the first
};

// Returns those of `names` that several nodes of the ONNX file share, in the order of `names`.
std::vector<SharedName> SharedNames(const Graph& graph, const std::vector<std::string>& names);

}  // namespace halftone
