// Compile(): lower, choose and prepare a kernel per step, place buffers. Run(): patch the pointers
// of the caller's tensors into tables made beforehand, then call the kernels in order.
#include "src/exec/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/base/error.h"
#include "src/exec/memory_plan.h"
#include "src/exec/packed_constants.h"
#include "src/exec/place_parts.h"
#include "src/exec/plan_layouts.h"
#include "src/exec/program.h"
#include "src/exec/step_query.h"
#include "src/ir/run_time_extent.h"

namespace halftone {
namespace {

struct ReadyStep {
  const KernelEntry* kernel = nullptr;
  std::shared_ptr<const KernelState> state;
  std::size_t first_input = 0;  // into Workspace::inputs_
  std::size_t input_count = 0;
  std::size_t first_output = 0;
  std::size_t output_count = 0;
  std::size_t scratch_offset = 0;
  bool idle = false;    // outputs have no elements, or are there already: nothing to do
  bool counts = false;  // may find another number of elements than planned
};

// A pointer-table entry that depends on the caller's tensors.
struct Patch {
  std::size_t entry = 0;
  int tensor = 0;  // index of the graph input or output
  std::size_t offset_bytes = 0;
};

}  // namespace

struct Executable::Impl {
  Program program;
  std::vector<ReadyStep> steps;
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

  // The number of the buffer behind a slot; views share it. -1: none, or a constant.
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

  void PrepareSteps(const CompileOptions& options, SharedConstants& shared);
  void PlanBuffers();
  void CollectPatches();
  template <typename AfterStep>
  std::size_t RunSteps(std::span<const void*> input_table, std::span<void*> output_table,
                       std::span<const Tensor> inputs, std::span<Tensor> outputs, std::byte* arena,
                       const AfterStep& after_step) const;
};

void Executable::Impl::PrepareSteps(const CompileOptions& options, SharedConstants& shared) {
  PackedConstants constants(program, shared);
  for (const Step& step : program.steps) {
    const KernelQuery query = QueryOf(program, step);
    ReadyStep ready;
    WithContext([&] { return fmt::format("node '{}' ({})", step.node, InfoOf(step.op).name); },
                [&] {
                  KernelPreference preference = options.kernels;
                  preference.reference_only = preference.reference_only || step.reference_only;
                  preference.chosen_name = options.choices.Find(query);
                  KernelChoice choice = SelectKernel(query, preference);
                  ready.kernel = choice.entry;
                  ready.state = constants.Prepare(step, *choice.entry, query);
                  const TensorType* first =
                      query.Input(0) != nullptr ? query.Input(0) : query.outputs.at(0);
                  infos.push_back({.node = step.node,
                                   .op = std::string(InfoOf(step.op).name),
                                   .kernel = std::string(choice.entry->name),
                                   .dtype = first->dtype,
                                   .passed_over = std::move(choice.passed_over),
                                   .tuned = choice.tuned,
                                   .node_op = std::string(InfoOf(step.node_op).name),
                                   .reads = BuffersOf(step.inputs),
                                   .writes = BuffersOf(step.outputs),
                                   .values = step.values,
                                   .channels_last = step.channels_last,
                                   .in_place = step.in_place});
                });
    ready.first_input = input_entries;
    ready.input_count = step.inputs.size();
    ready.first_output = output_entries;
    ready.output_count = step.outputs.size();
    input_entries += step.inputs.size();
    output_entries += step.outputs.size();
    std::int64_t bytes = 0;
    for (const TensorType* type : query.inputs) {
      bytes += type != nullptr ? type->size_bytes() : 0;
    }
    bool empty = true;
    auto& types = step_outputs.emplace_back();
    for (const TensorType* type : query.outputs) {
      types.push_back(type != nullptr ? *type : TensorType{});
      empty = empty && (type == nullptr || type->shape.ElementCount() == 0);
      bytes += type != nullptr ? type->size_bytes() : 0;
    }
    infos.back().bytes = step.in_place ? 0 : bytes;
    ready.idle = empty || step.in_place;
    ready.counts = !empty && HasRunTimeExtent(step.op);
    steps.push_back(std::move(ready));
  }
}

void Executable::Impl::PlanBuffers() {
  constexpr std::size_t kNever = SIZE_MAX;
  std::vector<BufferLifetime> lifetimes(program.slots.size(), {0, kNever, 0});
  const auto touch = [&](SlotId id, std::size_t step) {
    if (id == kNoSlot || !StorageOf(id).in_arena()) {
      return;
    }
    const SlotId root = program.StorageOf(id).root;
    BufferLifetime& life = lifetimes[static_cast<std::size_t>(root)];
    life.size_bytes = static_cast<std::size_t>(SlotAt(root).type.size_bytes());
    life.first = std::min(life.first, step);
    life.last = std::max(life.last, step);
  };
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    for (const SlotId id : program.steps[s].inputs) {
      touch(id, s);
    }
    for (const SlotId id : program.steps[s].outputs) {
      touch(id, s);
    }
  }
  std::vector<BufferLifetime> buffers;
  std::vector<std::size_t> owner;  // slot index, or slot count + step index for scratch
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    if (lifetimes[i].first != kNever) {
      buffers.push_back(lifetimes[i]);
      owner.push_back(i);
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const KernelEntry& kernel = *steps[s].kernel;
    const std::size_t bytes =
        kernel.scratch_bytes != nullptr ? kernel.scratch_bytes(*steps[s].state) : 0;
    if (bytes > 0) {
      buffers.push_back({bytes, s, s});
      owner.push_back(program.slots.size() + s);
    }
  }
  memory = PlanMemory(buffers);
  slot_offsets.assign(program.slots.size(), 0);
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (owner[b] < program.slots.size()) {
      slot_offsets[owner[b]] = memory.offsets[b];
    } else {
      steps[owner[b] - program.slots.size()].scratch_offset = memory.offsets[b];
    }
  }
}

void Executable::Impl::CollectPatches() {
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = program.steps[s];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == kNoSlot) {
        continue;
      }
      const auto [id, offset] = program.StorageOf(step.inputs[i]);
      const Slot& root = SlotAt(id);
      if (root.graph_input >= 0) {
        inputs_from_inputs.push_back({steps[s].first_input + i, root.graph_input, offset});
      } else if (root.graph_output >= 0) {
        inputs_from_outputs.push_back({steps[s].first_input + i, root.graph_output, offset});
      }
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] == kNoSlot) {
        continue;
      }
      const auto [id, offset] = program.StorageOf(step.outputs[i]);
      if (SlotAt(id).graph_output >= 0) {
        outputs_to_outputs.push_back({steps[s].first_output + i, SlotAt(id).graph_output, offset});
      }
    }
  }
}

// The first step that found another number of elements than planned; steps.size(): none.
template <typename AfterStep>
std::size_t Executable::Impl::RunSteps(std::span<const void*> input_table,
                                       std::span<void*> output_table,
                                       std::span<const Tensor> inputs, std::span<Tensor> outputs,
                                       std::byte* arena, const AfterStep& after_step) const {
  std::size_t other_count = steps.size();
  for (const Patch& patch : inputs_from_inputs) {
    input_table[patch.entry] =
        inputs[static_cast<std::size_t>(patch.tensor)].data() + patch.offset_bytes;
  }
  for (const Patch& patch : inputs_from_outputs) {
    input_table[patch.entry] =
        outputs[static_cast<std::size_t>(patch.tensor)].data() + patch.offset_bytes;
  }
  for (const Patch& patch : outputs_to_outputs) {
    output_table[patch.entry] =
        outputs[static_cast<std::size_t>(patch.tensor)].mutable_data() + patch.offset_bytes;
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const ReadyStep& step = steps[s];
    const std::span<void* const> step_results(output_table.data() + step.first_output,
                                              step.output_count);
    if (!step.idle) {
      step.kernel->run({.state = step.state.get(),
                        .inputs = {input_table.data() + step.first_input, step.input_count},
                        .outputs = step_results,
                        .scratch = arena + step.scratch_offset});
    }
    if (step.counts && *static_cast<const std::int64_t*>(step_results[0]) == kOtherCount) {
      other_count = std::min(other_count, s);
    }
    after_step(s, step_results);
  }
  return other_count;
}

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

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

std::span<const TensorType> Executable::input_types() const {
  return impl_->input_types;
}

std::span<const TensorType> Executable::output_types() const {
  return impl_->output_types;
}

namespace {

void CheckTypes(std::span<const TensorType> expected, std::span<const Tensor> tensors,
                std::string_view what) {
  Check(expected.size() == tensors.size(), what);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Check(expected[i] == tensors[i].type(), what);
  }
}

}  // namespace

void Executable::Run(Workspace& workspace, std::span<const Tensor> inputs,
                     std::span<Tensor> outputs) const {
  CheckTypes(impl_->input_types, inputs, "Run() got inputs of other types than input_types()");
  CheckTypes(impl_->output_types, outputs, "Run() got outputs of other types than output_types()");
  workspace.other_count_ =
      impl_->RunSteps(workspace.inputs_, workspace.outputs_, inputs, outputs,
                      workspace.arena_.mutable_data(), [](std::size_t, std::span<void* const>) {});
}

void Executable::RunObserved(Workspace& workspace, std::span<const Tensor> inputs,
                             std::span<Tensor> outputs, const StepObserver& observer) const {
  CheckTypes(impl_->input_types, inputs, "Run() got inputs of other types than input_types()");
  CheckTypes(impl_->output_types, outputs, "Run() got outputs of other types than output_types()");
  workspace.other_count_ = impl_->RunSteps(workspace.inputs_, workspace.outputs_, inputs, outputs,
                                           workspace.arena_.mutable_data(), observer);
}

OverflowArithmetic Executable::overflow() const {
  return impl_->overflow;
}

std::span<const ClippedWeight> Executable::clipped_weights() const {
  return impl_->program.clipped_weights;
}

int Executable::BufferOf(ValueId value) const {
  return impl_->BufferOf(impl_->program.slot_of_value.at(static_cast<std::size_t>(value)));
}

std::size_t Executable::buffer_count() const {
  return impl_->program.slots.size();
}

std::vector<int> Executable::input_buffers() const {
  return impl_->BuffersOf(impl_->program.graph_inputs);
}

std::vector<int> Executable::output_buffers() const {
  return impl_->BuffersOf(impl_->program.graph_outputs);
}

std::span<const StepInfo> Executable::steps() const {
  return impl_->infos;
}

std::span<const TensorType> Executable::step_output_types(std::size_t step) const {
  return impl_->step_outputs[step];
}

std::size_t Executable::peak_arena_bytes() const {
  return impl_->memory.arena_bytes;
}

std::size_t Executable::liveness_bound_bytes() const {
  return impl_->memory.liveness_bound_bytes;
}

Executable Compile(const Graph& graph, const PrecisionPlan& plan, const CompileOptions& options) {
  auto impl = std::make_unique<Executable::Impl>();
  SharedConstants own;
  SharedConstants& shared = options.shared != nullptr ? *options.shared : own;
  impl->program = Lower(graph, plan, &shared);
  PlanLayouts(impl->program, options.kernels);
  if (!options.kernels.reference_only) {
    PlaceParts(impl->program);
  }
  impl->overflow = plan.overflow;
  for (const SlotId id : impl->program.graph_inputs) {
    impl->input_types.push_back(impl->SlotAt(id).type);
  }
  for (const SlotId id : impl->program.graph_outputs) {
    impl->output_types.push_back(impl->SlotAt(id).type);
  }
  impl->PrepareSteps(options, shared);
  impl->PlanBuffers();
  impl->CollectPatches();
  return Executable(std::move(impl));
}

}  // namespace halftone
