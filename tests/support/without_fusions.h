// The graph with all fusions off, so that each node is a step, for tests that inspect each node.
#pragma once

#include <utility>

#include "src/ir/graph.h"
#include "src/passes/passes.h"

namespace halftone::testing {

inline Graph WithoutFusions(Graph graph) {
  for (const Pass& pass : AllPasses()) {
    if (pass.stage == PassStage::kLowering && pass.fusion != FusionKind::kNone) {
      graph.fusions_off.insert(std::string(pass.name));
    }
  }
  return graph;
}

}  // namespace halftone::testing
