// Parts of an Executable; src/exec/executable.cc makes it, executable_run.cc runs it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "src/exec/chains.h"
#include "src/exec/executable.h"
#include "src/exec/memory_plan.h"
#include "src/exec/program.h"

namespace halftone {

struct ReadyStep {
  const KernelEntry* kernel = nullptr;
  std::shared_ptr<const KernelState> state;
  std::size_t first_input = 0;  // into Workspace::inputs_
  std::size_t input_count = 0;
  std::size_t first_output = 0;
  std::size_t output_count = 0;
  std::size_t scratch_offset = 0;
  bool idle = false;          // outputs are empty or there already: nothing to do
  bool strided_rows = false;  // of the only result (src/exec/place_rows.h)
  bool counts = false;        // may find another number of elements than planned
};

// A pointer-table entry that depends on the caller's tensors.
struct Patch {
  std::size_t entry = 0;
  int tensor = 0;  // index of the graph input or output
  std::size_t offset_bytes = 0;
};

struct Executable::Impl {
  Program program;
  std::vector<ReadyStep> steps;
  std::vector<Chain> chains;  // in order
  std::vector<StepInfo> infos;
  std::vector<std::vector<TensorType>> step_outputs;
  std::vector<TensorType> input_types;
  std::vector<TensorType> output_types;
  std::vector<std::size_t> slot_offsets;  // of arena roots
  MemoryPlan memory;
  std::size_t input_entries = 0;
  std::size_t output_entries = 0;
  // Entries that hold the caller's pointers: inputs read from graph inputs, inputs read from graph
  // outputs (written by an earlier step), outputs written to graph outputs.
  std::vector<Patch> inputs_from_inputs;
  std::vector<Patch> inputs_from_outputs;
  std::vector<Patch> outputs_to_outputs;

  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;

  [[nodiscard]] const Slot& SlotAt(SlotId id) const { return program.SlotAt(id); }

  [[nodiscard]] const Slot& RootOf(SlotId id) const { return SlotAt(SlotAt(id).root); }

  [[nodiscard]] const Slot& StorageOf(SlotId id) const {
    return SlotAt(program.StorageOf(id).root);
  }

  // Number of the buffer behind a slot; views share it. -1: none, or a constant.
  [[nodiscard]] int BufferOf(SlotId id) const {
    return id == kNoSlot || RootOf(id).constant ? -1 : SlotAt(id).root;
  }

  [[nodiscard]] std::vector<int> BuffersOf(std::span<const SlotId> ids) const {
    std::vector<int> buffers;
    for (const SlotId id : ids) {
      buffers.push_back(BufferOf(id));
    }
    return buffers;
  }

  // Kernel choices, parallel to the steps.
  [[nodiscard]] std::vector<KernelChoice> ChooseKernels(const CompileOptions& options) const;
  void PrepareSteps(std::vector<KernelChoice> choices, SharedConstants& shared);
  void JoinChains();
  void PlanBuffers();
  void CollectPatches();
  // Writes the caller's tensors into the pointer tables.
  void ApplyPatches(Workspace& workspace, std::span<const Tensor> inputs,
                    std::span<Tensor> outputs) const;
  // Runs fused loops as such (`joined`), or every step alone, and calls after_step after each.
  template <typename AfterStep>
  void RunSteps(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                bool joined, const AfterStep& after_step) const;
  // Calls the observer with strided rows copied to a dense tensor, which it may change.
  void ObserveRows(std::size_t step, void* rows, const Executable::StepObserver& observer) const;
};

}  // namespace halftone
