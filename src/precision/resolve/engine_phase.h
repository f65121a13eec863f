// Phase 1 of the resolution: the engine of a node. Columns are not combined in this phase; every
// tensor is tested on its own, with its original dtype (docs/internals/resolving.md, "Phase 1:
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

// A node with its inputs to the resolution.
struct NodeToResolve {
  const Graph& graph;
  const Node& node;
  std::string_view ir_type;
  const PrecisionMode& mode;
  const TargetSpec& target;
  const MixPolicies& policies;
  const LibraryOp* op = nullptr;         // of the AI Core op library; null: not in it
  MixPolicy policy = MixPolicy::kGray;   // under --modify_mixlist
  std::string_view kept_by = {};         // the line of keep_dtype; empty: none
  const CustomDTypes* custom = nullptr;  // null: not in customize_dtypes

  // The item of customize_dtypes for a tensor; empty: none.
  [[nodiscard]] std::optional<DType> CustomInput(std::size_t index) const;
  [[nodiscard]] std::optional<DType> CustomOutput(std::size_t index) const;
};

// The columns of task.op that agree with customize_dtypes, ascending: all of them without an entry.
std::vector<std::size_t> AllowedColumns(const NodeToResolve& task);

struct EngineChoice {
  Engine engine = Engine::kAiCore;
  std::string ai_core_refusal;  // why not AI Core; empty for AI Core
};

// True if the engine phase accepts a tensor whose original dtype is not in the op library.
bool MayLower(Lowering lowering, MixPolicy policy, bool kept);

// Checks a Cast of the model, which reads the resolved dtype of its producer, `from`, and writes
// the dtype it declares, `to`. Error kUnsupported with EZ3003 when customize_dtypes wants another
// dtype; kUsage for too many items.
void CheckCustomCast(const NodeToResolve& task, DType from, DType to);

// Chooses the engine. Error kUnsupported with EZ3002 for each engine and EZ3003 when none runs the
// node; kUsage when customize_dtypes lists more items than the node has tensors.
EngineChoice ChooseEngine(const NodeToResolve& task);

}  // namespace halftone
