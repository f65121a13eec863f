// Phase 1 of the resolution: which engine runs a node. Columns are not combined in this phase;
// every tensor is tested on its own, with its original dtype (docs/precision.md, "Phase 1:
// engine").
#pragma once

#include <string>
#include <string_view>

#include "src/ir/graph.h"
#include "src/precision/modes.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

// One node and everything that is fixed for it before it is resolved.
struct NodeToResolve {
  const Graph& graph;
  const Node& node;
  std::string_view ir_type;
  const PrecisionMode& mode;
  const TargetSpec& target;
  std::string_view kept_by;  // the line of keep_dtype; empty: not kept
};

struct EngineChoice {
  Engine engine = Engine::kAiCore;
  const LibraryOp* op = nullptr;  // of the AI Core library; null on AI CPU
  std::string ai_core_refusal;    // why not AI Core; empty when it is
};

// Whether the engine phase accepts a tensor whose original dtype is not in the library.
bool MayLower(Lowering lowering, MixPolicy policy, bool kept);

// Error kUnsupported with EZ3002 for each engine and EZ3003 when none runs the node.
EngineChoice ChooseEngine(const NodeToResolve& task);

}  // namespace halftone
