// Compile(): lower, choose and prepare a kernel per step, place buffers.
#include "src/exec/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/error.h"
#include "src/exec/executable_impl.h"
#include "src/exec/packed_constants.h"
#include "src/exec/place_parts.h"
#include "src/exec/place_rows.h"
#include "src/exec/plan_layouts.h"
#include "src/exec/step_query.h"
#include "src/ir/run_time_extent.h"

namespace halftone {
namespace {

std::string NameOf(const Step& step) {
  return fmt::format("node '{}' ({})", step.node, InfoOf(step.op).name);
}

}  // namespace

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
    ready.idle = empty || step.in_place;
    ready.strided_rows = query.row_stride != 0;
    ready.counts = !empty && HasRunTimeExtent(step.op);
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
  for (const Chain& chain : chains) {  // its steps take turns, tile by tile
    for (const SlotId id : SlotsInMemory(program, chain)) {
      touch(id, chain.first);
      touch(id, chain.last);
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

}  // namespace halftone
