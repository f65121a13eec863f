#include "src/exec/packed_constants.h"

namespace halftone {

PackedConstants::PackedConstants(Program& program, SharedConstants& shared)
    : program_(program),
      shared_(shared),
      to_come_(program.slots.size(), 0),
      read_(program.slots.size(), false) {
  for (const Step& step : program.steps) {
    for (const SlotId id : step.inputs) {
      if (id != kNoSlot) {
        ++to_come_[static_cast<std::size_t>(program.SlotAt(id).root)];
      }
    }
  }
}

std::shared_ptr<const KernelState> PackedConstants::Prepare(const Step& step,
                                                            const KernelEntry& kernel,
                                                            const KernelQuery& query) {
  std::vector<SharedConstants::Id> ids;
  for (const SlotId id : step.inputs) {
    ids.push_back(id == kNoSlot ? SharedConstants::kNoId : program_.SlotAt(id).constant_id);
  }
  auto state = shared_.Prepare(kernel, query, ids, [&](std::size_t input) {
    Slot& slot = program_.slots[static_cast<std::size_t>(step.inputs[input])];
    slot.constant = shared_.Bytes(slot.constant_id);
  });
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNoSlot) {
      continue;
    }
    const Slot& slot = program_.SlotAt(step.inputs[i]);
    const auto root = static_cast<std::size_t>(slot.root);
    const bool consumed = state != nullptr && state->Consumed(i);
    if (consumed && slot.constant_id != SharedConstants::kNoId) {
      shared_.NotePacked(slot.constant_id, step.op, i);
    }
    read_[root] = read_[root] || !consumed;
    if (--to_come_[root] == 0 && !read_[root] && program_.slots[root].constant) {
      LetGo(program_.slots[root]);
    }
  }
  return state;
}

void PackedConstants::LetGo(Slot& constant) {
  constant.constant = Tensor();
  if (constant.constant_id != SharedConstants::kNoId) {
    shared_.LetGo(constant.constant_id);
  }
}

}  // namespace halftone
