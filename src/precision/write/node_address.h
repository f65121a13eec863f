// Names by which configuration files can address a single node. The format must be able to express
// the name, and no other node may have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// One name for each format. Empty: no line of the format can address this node alone.
struct NodeAddress {
  std::optional<std::string> keep;    // keep_dtype: name of some origin
  std::optional<std::string> custom;  // customize_dtypes: name of the main operator
  std::optional<std::string> impl;    // op_precision_mode: name of some origin
};

// The addresses of all nodes, parallel to Graph::nodes.
std::vector<NodeAddress> AddressesOf(const Graph& graph);

}  // namespace halftone
