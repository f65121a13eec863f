// A graph lowered for one plan: steps over slots. Layouts, places and fused loops
// (src/exec/plan_layouts.h, place_parts.h, chains.h) change the steps later; the memory plan
// (src/exec/executable.cc) assigns storage.
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

// A value in one dtype. Its root, which is the slot that it is a view of, decides where its bytes
// are.
struct Slot {
  TensorType type;
  SlotId root = kNoSlot;           // the slot itself unless it is a view
  std::optional<Tensor> constant;  // of roots only; has no bytes once kernels packed it
  SharedConstants::Id constant_id = SharedConstants::kNoId;  // of constants that conversion made
  int graph_input = -1;   // of roots only: index into Graph::inputs
  int graph_output = -1;  // of roots only: index into Graph::outputs; its bytes are the caller's
  // Root whose bytes contain those of this root (src/exec/place_parts.h), or kNoSlot. Unused in
  // slots that are no roots.
  SlotId inside = kNoSlot;
  std::size_t offset_bytes = 0;  // of the first byte in the root `inside`
  // Elements from the begin of one row (last axis) to that of the next in the root `inside`
  // (src/exec/place_rows.h); 0: rows are contiguous.
  std::int64_t row_stride = 0;

  [[nodiscard]] bool in_arena() const { return !constant && graph_input < 0 && graph_output < 0; }
};

struct Step {
  std::string node;  // node name, or a description of a cast between nodes
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  StepLayout layout;
  std::vector<SlotId> inputs;  // kNoSlot for an optional input that is left out
  std::vector<SlotId> outputs;
  ImplMode impl_mode = ImplMode::kDefault;
  bool reference_only = false;  // on the AI CPU engine
  // Operator of `node`. It differs from `op` only for a step that rounds the node's own result.
  OpKind node_op = OpKind::kIdentity;
  std::vector<ValueId> values;     // parallel to outputs: the value of the graph that each holds
  bool rearranged = false;         // outputs hold `values` in another order or shape
  std::vector<std::string> parts;  // nodes of the network that the step computes, `node` first
  // The outputs are [N, H, W, C] where the graph has [N, C, H, W] (src/exec/plan_layouts.h).
  bool channels_last = false;
  std::int64_t chain = 0;  // number of its fused loop (src/exec/chains.h); 0: none
  bool in_place = false;   // the outputs are there already: nothing runs (src/exec/place_parts.h)
};

struct Program {
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<SlotId> graph_inputs;
  std::vector<SlotId> graph_outputs;
  // Slot that the producer of each value makes, in the dtype of the plan. kNoSlot for constants and
  // for values without producer.
  std::vector<SlotId> slot_of_value;
  std::vector<ClippedWeight> clipped_weights;

  [[nodiscard]] const Slot& SlotAt(SlotId id) const { return slots[static_cast<std::size_t>(id)]; }

  // The root that owns the bytes of a slot, and the offset in it at which they begin.
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

// Lowers a plan. If consumers read a value in another dtype than its own, it is converted once to
// each such dtype, before the first of them. Constants are converted here; a finite weight beyond
// the float16 range becomes the largest finite float16, or infinity if the plan says so. Views
// become aliases, not steps. Dtypes that no kernel combines are computed as
// src/exec/compute_dtypes.h says. Graph inputs and outputs have the dtypes of the plan. A float
// that becomes an integer output is rounded to nearest even and saturated; NaN becomes 0.
//
// `shared` holds converted constants, and may release the bytes of a constant once kernels packed
// it. Null: constants are not shared. `fuse`: neighbours become one step where the plan allows it
// (src/exec/fuse_by_plan.h). Error kUnsupported: a node in dynamic int8 has no step for it, or a
// tensor in qint8 has no scale. Other errors as IntegerStepOf().
Program Lower(const Graph& graph, const PrecisionPlan& plan, SharedConstants* shared = nullptr,
              bool fuse = true);

}  // namespace halftone
