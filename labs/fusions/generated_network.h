// A network that a bench makes, in the state of an imported model: before Canonicalize().
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct GeneratedNetwork {
  std::string name;  // "3 steps, 16 MiB float32"
  Graph graph;
};

}  // namespace halftone
