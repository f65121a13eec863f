// Network that a bench generates. It is in the state of an imported model, before Canonicalize().
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct GeneratedNetwork {
  std::string name;  // "2 steps, 64 KiB, float32"
  Graph graph;
};

}  // namespace halftone
