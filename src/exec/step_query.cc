#include "src/exec/step_query.h"

namespace halftone {

KernelQuery QueryOf(const Program& program, const Step& step) {
  KernelQuery query{
      .op = step.op, .attributes = &step.attributes, .fusion = &step.fusion, .layout = step.layout};
  query.impl_mode = step.impl_mode;
  for (const SlotId id : step.inputs) {
    if (id == kNoSlot) {
      query.inputs.push_back(nullptr);
      query.constants.push_back(nullptr);
      continue;
    }
    const Slot& slot = program.slots[static_cast<std::size_t>(id)];
    query.inputs.push_back(&slot.type);
    // A view of a constant has another shape than its root; kernels that need its values as
    // constants get it through constant folding, so here only roots count.
    query.constants.push_back(slot.constant ? &*slot.constant : nullptr);
  }
  for (const SlotId id : step.outputs) {
    query.outputs.push_back(id == kNoSlot ? nullptr
                                          : &program.slots[static_cast<std::size_t>(id)].type);
  }
  if (!step.outputs.empty() && step.outputs[0] != kNoSlot) {
    query.row_stride = program.SlotAt(step.outputs[0]).row_stride;
  }
  return query;
}

}  // namespace halftone
