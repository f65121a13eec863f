// Run(): writes the pointers of the caller's tensors into prepared tables, then calls the kernels
// in order.
#include <algorithm>
#include <cstring>

#include "src/base/error.h"
#include "src/exec/executable_impl.h"
#include "src/ir/run_time_extent.h"

namespace halftone {

Workspace Executable::NewWorkspace() const {
  const Impl& impl = *impl_;
  Workspace workspace;
  workspace.arena_ = Tensor(DType::kUInt8, {static_cast<std::int64_t>(impl.memory.arena_bytes)});
  workspace.inputs_.assign(impl.input_entries, nullptr);
  workspace.outputs_.assign(impl.output_entries, nullptr);
  std::byte* arena = workspace.arena_.mutable_data();
  // Null for graph inputs and outputs, which every run patches.
  const auto pointer_to = [&](SlotId id) -> std::byte* {
    const auto [root, offset] = impl.program.StorageOf(id);
    return impl.SlotAt(root).in_arena()
               ? arena + impl.slot_offsets[static_cast<std::size_t>(root)] + offset
               : nullptr;
  };
  for (std::size_t s = 0; s < impl.steps.size(); ++s) {
    const Step& step = impl.program.steps[s];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] != kNoSlot) {
        const auto& constant = impl.RootOf(step.inputs[i]).constant;
        workspace.inputs_[impl.steps[s].first_input + i] =
            constant ? constant->data() : pointer_to(step.inputs[i]);
      }
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] != kNoSlot) {
        workspace.outputs_[impl.steps[s].first_output + i] = pointer_to(step.outputs[i]);
      }
    }
  }
  return workspace;
}

void Executable::Impl::ApplyPatches(Workspace& workspace, std::span<const Tensor> inputs,
                                    std::span<Tensor> outputs) const {
  for (const Patch& patch : inputs_from_inputs) {
    workspace.inputs_[patch.entry] =
        inputs[static_cast<std::size_t>(patch.tensor)].data() + patch.offset_bytes;
  }
  for (const Patch& patch : inputs_from_outputs) {
    workspace.inputs_[patch.entry] =
        outputs[static_cast<std::size_t>(patch.tensor)].data() + patch.offset_bytes;
  }
  for (const Patch& patch : outputs_to_outputs) {
    workspace.outputs_[patch.entry] =
        outputs[static_cast<std::size_t>(patch.tensor)].mutable_data() + patch.offset_bytes;
  }
}

namespace {

void CheckTypes(std::span<const TensorType> expected, std::span<const Tensor> tensors,
                std::string_view what) {
  Check(expected.size() == tensors.size(), what);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Check(expected[i] == tensors[i].type(), what);
  }
}

// One kernel call. Whether it found another number of elements than planned.
bool RunStep(const ReadyStep& step, std::span<const void* const> inputs,
             std::span<void* const> results, std::byte* arena) {
  if (!step.idle) {
    step.kernel->run({.state = step.state.get(),
                      .inputs = inputs.subspan(step.first_input, step.input_count),
                      .outputs = results,
                      .scratch = arena + step.scratch_offset});
  }
  return step.counts && *static_cast<const std::int64_t*>(results[0]) == kOtherCount;
}

}  // namespace

template <typename AfterStep>
void Executable::Impl::RunSteps(Workspace& workspace, std::span<const Tensor> inputs,
                                std::span<Tensor> outputs, bool joined,
                                const AfterStep& after_step) const {
  CheckTypes(input_types, inputs, "Run() got inputs of other types than input_types()");
  CheckTypes(output_types, outputs, "Run() got outputs of other types than output_types()");
  ApplyPatches(workspace, inputs, outputs);
  std::byte* arena = workspace.arena_.mutable_data();
  workspace.other_count_ = Workspace::kNoStep;
  auto chain = joined ? chains.begin() : chains.end();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (chain != chains.end() && chain->first == s) {
      RunChain(*chain, workspace.inputs_, workspace.outputs_);
      s = chain->last;
      ++chain;
      continue;
    }
    const std::span<void* const> results(workspace.outputs_.data() + steps[s].first_output,
                                         steps[s].output_count);
    if (RunStep(steps[s], workspace.inputs_, results, arena)) {
      workspace.other_count_ = std::min(workspace.other_count_, s);
    }
    after_step(s, results);
  }
}

void Executable::Run(Workspace& workspace, std::span<const Tensor> inputs,
                     std::span<Tensor> outputs) const {
  impl_->RunSteps(workspace, inputs, outputs, true, [](std::size_t, std::span<void* const>) {});
}

void Executable::RunTimed(Workspace& workspace, std::span<const Tensor> inputs,
                          std::span<Tensor> outputs, const StepTimer& timer) const {
  impl_->RunSteps(workspace, inputs, outputs, false,
                  [&](std::size_t step, std::span<void* const>) { timer(step); });
}

void Executable::Impl::ObserveRows(std::size_t step, void* rows,
                                   const Executable::StepObserver& observer) const {
  const Slot& slot = SlotAt(program.steps[step].outputs[0]);
  Tensor dense(slot.type);
  const std::int64_t width = dense.shape()[dense.shape().rank() - 1];
  const std::int64_t count = dense.shape().ElementCount() / width;
  const auto element = static_cast<std::int64_t>(SizeOf(dense.dtype()));
  const auto for_each_row = [&](const auto& copy) {
    for (std::int64_t row = 0; row < count; ++row) {
      copy(static_cast<std::byte*>(rows) + row * slot.row_stride * element,
           dense.mutable_data() + row * width * element);
    }
  };
  const auto bytes = static_cast<std::size_t>(width * element);
  for_each_row([&](std::byte* apart, std::byte* own) { std::memcpy(own, apart, bytes); });
  void* const results[] = {dense.mutable_data()};
  observer(step, results);
  for_each_row([&](std::byte* apart, std::byte* own) { std::memcpy(apart, own, bytes); });
}

void Executable::RunObserved(Workspace& workspace, std::span<const Tensor> inputs,
                             std::span<Tensor> outputs, const StepObserver& observer) const {
  impl_->RunSteps(workspace, inputs, outputs, false,
                  [&](std::size_t step, std::span<void* const> results) {
                    if (impl_->steps[step].strided_rows) {
                      impl_->ObserveRows(step, results[0], observer);
                    } else {
                      observer(step, results);
                    }
                  });
}

}  // namespace halftone
