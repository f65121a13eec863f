// Phase 1 of the resolution: which engine runs a node. Columns are not combined in this phase;
// every tensor is tested on its own, with its original dtype (docs/resolving.md, "Phase 1:
// engine").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/files/mixlist.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/modes.h"
#include "src/target/target_spec.h"

namespace halftone {

// One node and everything that is fixed for it before it is resolved.
struct NodeToResolve {
  const Graph& graph;
  const Node& node;
  std::string_view ir_type;
  const PrecisionMode& mode;
  const TargetSpec& target;
  const MixPolicies& policies;
  const LibraryOp* op = nullptr;         // of the AI Core library; null: it does not have the type
  MixPolicy policy = MixPolicy::kGray;   // under --modify_mixlist
  std::string_view kept_by = {};         // the line of keep_dtype; empty: not kept
  const CustomDTypes* custom = nullptr;  // null: not in customize_dtypes

  // The item of customize_dtypes for a tensor, if there is one.
  [[nodiscard]] std::optional<DType> CustomInput(std::size_t index) const;
  [[nodiscard]] std::optional<DType> CustomOutput(std::size_t index) const;
};

// The columns of task.op that agree with customize_dtypes, ascending: all of them without an entry.
std::vector<std::size_t> AllowedColumns(const NodeToResolve& task);

struct EngineChoice {
  Engine engine = Engine::kAiCore;
  std::string ai_core_refusal;  // why not AI Core; empty when it is
};

// Whether the engine phase accepts a tensor whose original dtype is not in the library.
bool MayLower(Lowering lowering, MixPolicy policy, bool kept);

// A Cast of the model takes what its producer resolved to, `from`, and keeps what it declares,
// `to`. Error kUnsupported with EZ3003 when customize_dtypes wants another dtype; kUsage for too
// many items.
void CheckCustomCast(const NodeToResolve& task, DType from, DType to);

// Error kUnsupported with EZ3002 for each engine and EZ3003 when none runs the node; kUsage when
// customize_dtypes lists more items than the node has tensors.
EngineChoice ChooseEngine(const NodeToResolve& task);

}  // namespace halftone
