// A graph lowered for one plan: steps over slots. The step list is final; storage is assigned later
// by the memory plan (src/exec/executable.cc).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/exec/clipped_weights.h"
#include "src/exec/shared_constants.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

using SlotId = int;
inline constexpr SlotId kNoSlot = -1;

// A value in one dtype. Its root (the slot it is a view of) decides where its bytes are.
struct Slot {
  TensorType type;
  SlotId root = kNoSlot;           // itself unless it is a view
  std::optional<Tensor> constant;  // of roots only; without bytes once kernels packed it
  SharedConstants::Id constant_id = SharedConstants::kNoId;  // of constants as conversion made them
  int graph_input = -1;   // of roots only: index into Graph::inputs
  int graph_output = -1;  // of roots only: index into Graph::outputs, lives in caller memory
  // Root whose bytes contain those of this root (src/exec/place_parts.h), or kNoSlot; only for
  // roots.
  SlotId inside = kNoSlot;
  std::size_t offset_bytes = 0;  // in the root `inside`
  // For a root with `inside`: elements from the begin of one row to that of the next, a row being
  // the last axis (src/exec/place_rows.h); 0: contiguous rows.
  std::int64_t row_stride = 0;

  [[nodiscard]] bool in_arena() const { return !constant && graph_input < 0 && graph_output < 0; }
};

struct Step {
  std::string node;  // node name, or a description of a cast between nodes
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  StepLayout layout;
  std::vector<SlotId> inputs;  // kNoSlot where an optional input is left out
  std::vector<SlotId> outputs;
  ImplMode impl_mode = ImplMode::kDefault;
  bool reference_only = false;  // AI CPU engine
  // The operator of `node`. Different from `op` for the cast that rounds a node's own result.
  OpKind node_op = OpKind::kIdentity;
  std::vector<ValueId> values;     // parallel to outputs: the value of the graph that each holds
  bool rearranged = false;         // in another order than the graph has it, or of another shape
  std::vector<std::string> parts;  // the nodes of the network that it computes, `node` first
  // The outputs are [N, H, W, C] where the graph has [N, C, H, W] (src/exec/plan_layouts.h).
  bool channels_last = false;
  std::int64_t chain = 0;  // number of its fused loop (src/exec/chains.h); 0: none
  bool in_place = false;   // the bytes are there already: nothing to run (src/exec/place_parts.h)
};

struct Program {
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<SlotId> graph_inputs;
  std::vector<SlotId> graph_outputs;
  // Slot that the producer of each value makes, in the dtype of the plan; kNoSlot for constants and
  // for values without producer.
  std::vector<SlotId> slot_of_value;
  std::vector<ClippedWeight> clipped_weights;

  [[nodiscard]] const Slot& SlotAt(SlotId id) const { return slots[static_cast<std::size_t>(id)]; }

  // The root that owns the bytes of a slot, and the offset at which they begin.
  struct Storage {
    SlotId root = kNoSlot;
    std::size_t offset_bytes = 0;
  };

  [[nodiscard]] Storage StorageOf(SlotId id) const {
    Storage storage{.root = SlotAt(id).root};
    while (SlotAt(storage.root).inside != kNoSlot) {
      storage.offset_bytes += SlotAt(storage.root).offset_bytes;
      storage.root = SlotAt(SlotAt(storage.root).inside).root;
    }
    return storage;
  }
};

// Lowers a plan. Each value is converted once to each other dtype that a consumer needs, before the
// first of them. Constants are converted here; a finite weight beyond the float16 range becomes the
// largest finite float16, or infinity when the plan says so. Views become aliases, not steps.
// Dtypes that no kernel combines are computed as src/exec/compute_dtypes.h says. Graph inputs and
// outputs have the dtypes of the plan; a float becomes an integer output rounded to nearest even
// and saturated, NaN as 0. `shared` holds converted constants, and may release the bytes of those
// that kernels packed; null: they are not shared. `fuse`: neighbours become one step where the plan
// allows it (src/exec/fuse_by_plan.h).
Program Lower(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared = nullptr,
              bool fuse = true);

}  // namespace halftone
