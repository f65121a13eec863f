// A network made by a bench, as a model would have it: before Canonicalize().
#pragma once

#include <string>

#include "src/ir/graph.h"

namespace halftone {

struct GeneratedNetwork {
  std::string name;  // "3 steps, 16 MiB float32"
  Graph graph;
};

}  // namespace halftone
