// How the configuration files can name a node: a name must be expressible in the format, and no
// other node may have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Empty: the format has no line that means this node alone.
struct NodeAddress {
  std::optional<std::string> keep;    // keep_dtype: any name that went into the node
  std::optional<std::string> custom;  // customize_dtypes: the name of the main operator
  std::optional<std::string> impl;    // op_precision_mode: any name that went into the node
};

// Parallel to Graph::nodes.
std::vector<NodeAddress> AddressesOf(const Graph& graph);

}  // namespace halftone
