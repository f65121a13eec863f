#include "src/exec/packed_constants.h"

#include <vector>

namespace halftone {

std::shared_ptr<const KernelState> PrepareStep(Program& program, const Step& step,
                                               const KernelEntry& kernel, const KernelQuery& query,
                                               SharedConstants& shared) {
  std::vector<SharedConstants::Id> ids;
  for (const SlotId id : step.inputs) {
    ids.push_back(id == kNoSlot ? SharedConstants::kNoId : program.SlotAt(id).constant_id);
  }
  return shared.Prepare(kernel, query, ids, [&](std::size_t input) {
    Slot& slot = program.slots[static_cast<std::size_t>(step.inputs[input])];
    slot.constant = shared.Bytes(slot.constant_id);
  });
}

void LetPackedConstantsGo(Program& program, std::span<const KernelState* const> states,
                          SharedConstants& shared) {
  std::vector<bool> packed(program.slots.size(), false);
  std::vector<bool> read(program.slots.size(), false);
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == kNoSlot) {
        continue;
      }
      const Slot& slot = program.SlotAt(step.inputs[i]);
      const bool consumed = states[s] != nullptr && states[s]->Consumed(i);
      (consumed ? packed : read)[static_cast<std::size_t>(slot.root)] = true;
      if (consumed && slot.constant_id != SharedConstants::kNoId) {
        shared.NotePacked(slot.constant_id, step.op, i);
      }
    }
  }
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    Slot& slot = program.slots[i];
    if (slot.constant && packed[i] && !read[i]) {
      slot.constant = Tensor();
      if (slot.constant_id != SharedConstants::kNoId) {
        shared.LetGo(slot.constant_id);
      }
    }
  }
}

}  // namespace halftone
