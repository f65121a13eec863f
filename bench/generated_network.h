// A network that a bench makes, as a model has it: before Canonicalize().
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct GeneratedNetwork {
  std::string name;  // "3 steps, 16 MiB float32"
  Graph graph;
};

}  // namespace halftone
