// Compile() lowers the plan, chooses and prepares a kernel for each step, and places buffers. Run()
// writes the pointers of the caller's tensors into prepared tables, then calls the kernels in
// order.
#include "src/exec/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/allocation_free.h"
#include "src/base/error.h"
#include "src/exec/chains.h"
#include "src/exec/memory_plan.h"
#include "src/exec/packed_constants.h"
#include "src/exec/place_parts.h"
#include "src/exec/place_rows.h"
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
  bool idle = false;          // outputs are empty or there already: nothing to do
  bool strided_rows = false;  // of the only result (src/exec/place_rows.h)
};

// A pointer-table entry that depends on the caller's tensors.
struct Patch {
  std::size_t entry = 0;
  int tensor = 0;  // index of the graph input or output
  std::size_t offset_bytes = 0;
};

std::string NameOf(const Step& step) {
  return fmt::format("node '{}' ({})", step.node, InfoOf(step.op).name);
}

void CheckTypes(std::span<const TensorType> expected, std::span<const Tensor> tensors,
                std::string_view what) {
  Check(expected.size() == tensors.size(), what);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Check(expected[i] == tensors[i].type(), what);
  }
}

// Calls one kernel; true if it found another number of elements than planned.
bool RunStep(const ReadyStep& step, std::span<const void* const> inputs,
             std::span<void* const> results, std::byte* arena) {
  bool other_count = false;
  if (!step.idle) {
    step.kernel->run({.state = step.state.get(),
                      .inputs = inputs.subspan(step.first_input, step.input_count),
                      .outputs = results,
                      .scratch = arena + step.scratch_offset,
                      .other_count = &other_count});
  }
  return other_count;
}

}  // namespace

struct Executable::Impl {
  static constexpr std::size_t kNever = SIZE_MAX;

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
  // Lifetimes by slot, in steps. `first` is kNever for slots that are no root in the arena.
  [[nodiscard]] std::vector<BufferLifetime> SlotLifetimes() const;
  void PlanBuffers();
  void CollectPatches();
  // Writes the caller's tensors into the pointer tables.
  // input(i) and output(i): addresses of the graph's inputs and outputs.
  template <typename Input, typename Output>
  void ApplyPatches(Workspace& workspace, const Input& input, const Output& output) const;
  // Checks types, patches and runs.
  template <typename AfterStep>
  void RunSteps(Workspace& workspace, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                bool joined, const AfterStep& after_step) const;
  // Runs fused loops as such (`joined`), or every step alone, and calls after_step after each.
  template <typename AfterStep>
  void RunPatched(Workspace& workspace, bool joined, const AfterStep& after_step) const;
  // Calls the observer with strided rows copied to a dense tensor, which it may change.
  void ObserveRows(std::size_t step, void* rows, const Executable::StepObserver& observer) const;
};

std::vector<KernelChoice> Executable::Impl::ChooseKernels(const CompileOptions& options) const {
  std::vector<KernelChoice> choices;
  for (const Step& step : program.steps) {
    WithContext([&] { return NameOf(step); },
                [&] {
                  const KernelQuery query = QueryOf(program, step);
                  KernelPreference preference = options.kernels;
                  preference.reference_only = preference.reference_only || step.reference_only;
                  preference.chosen_name = options.choices.Find(query);
                  choices.push_back(SelectKernel(query, preference));
                });
  }
  return choices;
}

void Executable::Impl::PrepareSteps(std::vector<KernelChoice> choices, SharedConstants& shared) {
  PackedConstants constants(program, shared);
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    KernelChoice& choice = choices[s];
    const KernelQuery query = QueryOf(program, step);
    ReadyStep ready;
    WithContext([&] { return NameOf(step); },
                [&] {
                  ready.kernel = choice.entry;
                  ready.state = constants.Prepare(step, *choice.entry, query);
                  const TensorType* first =
                      query.Input(0) != nullptr ? query.Input(0) : query.outputs.at(0);
                  infos.push_back({.node = step.node,
                                   .parts = step.parts,
                                   .op = std::string(InfoOf(step.op).name),
                                   .kernel = std::string(choice.entry->name),
                                   .dtype = first->dtype,
                                   .passed_over = std::move(choice.passed_over),
                                   .tuned = choice.tuned,
                                   .node_op = std::string(InfoOf(step.node_op).name),
                                   .reads = BuffersOf(step.inputs),
                                   .writes = BuffersOf(step.outputs),
                                   .values = step.values,
                                   .rearranged = step.rearranged,
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
    // A step with a run-time extent is never idle: where no elements are planned, a run may still
    // find some.
    ready.idle = step.in_place || (empty && !HasRunTimeExtent(step.op));
    ready.strided_rows = query.row_stride != 0;
    steps.push_back(std::move(ready));
  }
}

void Executable::Impl::JoinChains() {
  std::vector<ChainStep> candidates;
  for (const ReadyStep& step : steps) {
    candidates.push_back({.run = step.idle ? nullptr : step.kernel->run_range,
                          .state = step.state.get(),
                          .first_input = step.first_input,
                          .first_output = step.first_output});
  }
  chains = PlanChains(program, candidates);
}

std::vector<BufferLifetime> Executable::Impl::SlotLifetimes() const {
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
  for (const Chain& chain : chains) {  // its steps take turns, tile by tile
    for (const SlotId id : SlotsInMemory(program, chain)) {
      touch(id, chain.first);
      touch(id, chain.last);
    }
  }
  return lifetimes;
}

void Executable::Impl::PlanBuffers() {
  const std::vector<BufferLifetime> lifetimes = SlotLifetimes();
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

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

std::span<const TensorType> Executable::input_types() const {
  return impl_->input_types;
}

std::span<const TensorType> Executable::output_types() const {
  return impl_->output_types;
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
  const AllocationFreeScope without_allocation(options.allocation_free);
  auto impl = std::make_unique<Executable::Impl>();
  SharedConstants own;
  SharedConstants& shared = options.shared != nullptr ? *options.shared : own;
  impl->program = Lower(graph, plan, &shared, options.fuse);
  PlanLayouts(impl->program, options.kernels);
  if (!options.kernels.reference_only) {
    PlaceParts(impl->program);
    GatherChains(impl->program);
  }
  std::vector<KernelChoice> choices = impl->ChooseKernels(options);
  PlaceRows(impl->program, choices);
  impl->overflow = plan.overflow;
  for (const SlotId id : impl->program.graph_inputs) {
    impl->input_types.push_back(impl->SlotAt(id).type);
  }
  for (const SlotId id : impl->program.graph_outputs) {
    impl->output_types.push_back(impl->SlotAt(id).type);
  }
  impl->PrepareSteps(std::move(choices), shared);
  impl->JoinChains();
  impl->PlanBuffers();
  impl->CollectPatches();
  return Executable(std::move(impl));
}

Workspace Executable::NewWorkspace() const {
  return NewWorkspace(
      Tensor(DType::kUInt8, {static_cast<std::int64_t>(impl_->memory.arena_bytes)}));
}

Workspace Executable::NewWorkspace(Tensor arena_of_all) const {
  const Impl& impl = *impl_;
  Check(arena_of_all.size_bytes() >= impl.memory.arena_bytes, "an arena for every buffer");
  Workspace workspace;
  workspace.arena_ = std::move(arena_of_all);
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

template <typename Input, typename Output>
void Executable::Impl::ApplyPatches(Workspace& workspace, const Input& input,
                                    const Output& output) const {
  for (const Patch& patch : inputs_from_inputs) {
    workspace.inputs_[patch.entry] =
        input(static_cast<std::size_t>(patch.tensor)) + patch.offset_bytes;
  }
  for (const Patch& patch : inputs_from_outputs) {
    workspace.inputs_[patch.entry] =
        output(static_cast<std::size_t>(patch.tensor)) + patch.offset_bytes;
  }
  for (const Patch& patch : outputs_to_outputs) {
    workspace.outputs_[patch.entry] =
        output(static_cast<std::size_t>(patch.tensor)) + patch.offset_bytes;
  }
}

template <typename AfterStep>
void Executable::Impl::RunSteps(Workspace& workspace, std::span<const Tensor> inputs,
                                std::span<Tensor> outputs, bool joined,
                                const AfterStep& after_step) const {
  CheckTypes(input_types, inputs, "Run() got inputs of other types than input_types()");
  CheckTypes(output_types, outputs, "Run() got outputs of other types than output_types()");
  ApplyPatches(
      workspace, [&](std::size_t i) { return inputs[i].data(); },
      [&](std::size_t i) { return outputs[i].mutable_data(); });
  RunPatched(workspace, joined, after_step);
}

template <typename AfterStep>
void Executable::Impl::RunPatched(Workspace& workspace, bool joined,
                                  const AfterStep& after_step) const {
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

void Executable::RunOn(Workspace& workspace, std::span<const std::byte* const> inputs,
                       std::span<std::byte* const> outputs) const {
  Check(inputs.size() == input_types().size() && outputs.size() == output_types().size(),
        "RunOn() got another number of inputs or outputs");
  impl_->ApplyPatches(
      workspace, [&](std::size_t i) { return inputs[i]; },
      [&](std::size_t i) { return outputs[i]; });
  impl_->RunPatched(workspace, true, [](std::size_t, std::span<void* const>) {});
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

std::vector<Tensor> Executable::ConvertInputs(std::span<const Tensor> inputs) const {
  const std::span<const TensorType> types = input_types();
  Check(inputs.size() == types.size(), "ConvertInputs() got another number of inputs");
  std::vector<Tensor> converted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    converted.push_back(Convert(inputs[i], types[i].dtype));
  }
  return converted;
}

std::vector<Tensor> Executable::NewOutputs() const {
  std::vector<Tensor> outputs;
  for (const TensorType& type : output_types()) {
    outputs.emplace_back(type);
  }
  return outputs;
}

std::string Executable::OtherCount(const Workspace& workspace) const {
  if (workspace.other_count_ >= steps().size()) {
    return "";
  }
  const StepInfo& info = steps()[workspace.other_count_];
  return fmt::format(
      "node '{}' ({}) finds another number of elements than its shape {} is planned for", info.node,
      info.node_op, step_output_types(workspace.other_count_)[0].shape.ToString());
}

std::vector<Tensor> Executable::Run(std::span<const Tensor> inputs) const {
  Workspace workspace = NewWorkspace();
  std::vector<Tensor> outputs = NewOutputs();
  Run(workspace, inputs, outputs);
  if (const std::string other = OtherCount(workspace); !other.empty()) {
    throw Error(ErrorKind::kUnsupported, other);
  }
  return outputs;
}

}  // namespace halftone
