// Generated networks of element-wise operators: what running them together gains, by size and
// dtype.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct ChainNetwork {
  std::string name;  // "3 steps, 16 MiB float32"
  Graph graph;
};

// Three chains, from a tensor of 64 KiB to one that is larger than L3, in each float dtype. The
// graphs are as a model has them, before Optimize().
std::vector<ChainNetwork> ChainNetworks();

}  // namespace halftone
