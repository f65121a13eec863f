// Phase 1 of the resolution: the choice of an engine for a node. This phase tests every tensor on
// its own, with its original dtype; it does not look for a column that fits all tensors
// (docs/internals/resolving.md, "Phase 1: engine").
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

// A node to be resolved, with all that its resolution depends on.
struct NodeToResolve {
  const Graph& graph;
  const Node& node;
  std::string_view ir_type;
  const PrecisionMode& mode;
  const TargetSpec& target;
  const MixPolicies& policies;
  const LibraryOp* op = nullptr;         // row of the AI Core op library; null: it has none
  MixPolicy policy = MixPolicy::kGray;   // policy of the type, after --modify_mixlist
  std::string_view kept_by = {};         // line of keep_dtype; empty: none matches
  const CustomDTypes* custom = nullptr;  // line of customize_dtypes; null: none matches

  // The item of customize_dtypes for an input or output; empty: there is none.
  [[nodiscard]] std::optional<DType> CustomInput(std::size_t index) const;
  [[nodiscard]] std::optional<DType> CustomOutput(std::size_t index) const;
};

// The columns of task.op that agree with task.custom, in ascending order; all if that is null.
std::vector<std::size_t> AllowedColumns(const NodeToResolve& task);

struct EngineChoice {
  Engine engine = Engine::kAiCore;
  std::string ai_core_refusal;  // reason why AI Core cannot run the node; empty for AI Core
};

// True if the engine phase accepts that a tensor is lowered, because the op library does not have
// its original dtype. `kept` is true for a node of keep_dtype.
bool MayLower(Lowering lowering, MixPolicy policy, bool kept);

// Checks the customize_dtypes line of a Cast of the model. The Cast reads `from`, the dtype that
// its producer resolved to, and writes `to`, the dtype that it declares. Error kUnsupported with
// EZ3003: the line has another dtype. Error kUsage: the line has too many items.
void CheckCustomCast(const NodeToResolve& task, DType from, DType to);

// Chooses the engine. Error kUnsupported with EZ3002 for each engine and EZ3003: no engine runs the
// node. Error kUsage: the customize_dtypes line has more items than the node has tensors.
EngineChoice ChooseEngine(const NodeToResolve& task);

}  // namespace halftone
