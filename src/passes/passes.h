// Rewrites of a Graph that keep what it computes and make it cheaper: the one table of them.
//
// Every pass keeps the names and types of graph inputs and outputs, and the names of the nodes it
// fuses: the origins of the fused node are those of the main operator followed by those of the
// nodes it absorbed. A pass run twice changes nothing the second time.
#pragma once

#include <span>
#include <string_view>

#include "src/ir/graph.h"

namespace halftone {

struct Pass {
  std::string_view name;
  std::string_view meaning;
  void (*run)(Graph&);
};

// In the order in which Optimize runs them.
std::span<const Pass> AllPasses();

// Errors name the pass.
void Optimize(Graph& graph);

}  // namespace halftone
