// Names of a node in the configuration files: a name must be expressible in the format, and no
// other node may have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// One name per format; empty: no line of the format means this node alone.
struct NodeAddress {
  std::optional<std::string> keep;    // keep_dtype: the name of any origin
  std::optional<std::string> custom;  // customize_dtypes: the name of the main operator
  std::optional<std::string> impl;    // op_precision_mode: the name of any origin
};

// Parallel to Graph::nodes.
std::vector<NodeAddress> AddressesOf(const Graph& graph);

}  // namespace halftone
