#include "src/exec/place_rows.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/exec/place_parts.h"
#include "src/exec/step_query.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

// Uses of a root: the number of steps' operands that have it, and the step that makes it.
struct Uses {
  explicit Uses(const Program& program)
      : readers(program.slots.size(), 0), maker(program.slots.size(), kNoStep) {
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      for (const SlotId id : program.steps[s].inputs) {
        if (id != kNoSlot) {
          ++readers[static_cast<std::size_t>(program.SlotAt(id).root)];
        }
      }
      for (const SlotId id : program.steps[s].outputs) {
        if (id != kNoSlot) {
          maker[static_cast<std::size_t>(program.SlotAt(id).root)] = s;
        }
      }
    }
  }

  std::vector<int> readers;
  std::vector<std::size_t> maker;
};

// The rows of the whole, and what lies in them, begin at multiples of kPartAlignment: storing
// across cache lines takes longer than the copy saved (heads of yolox-nano, 4 + 1 + 80 channels).
bool IsAligned(std::size_t bytes) {
  return bytes % kPartAlignment == 0;
}

bool JoinsRows(const Program& program, const Step& step) {
  if (step.op != OpKind::kConcat || step.in_place) {
    return false;
  }
  const auto& [dtype, whole] = program.SlotAt(step.outputs[0]).type;
  const int last = whole.rank() - 1;
  return NormalizeAxis(step.attributes.Int("axis", 0), whole.rank()) == last &&
         whole.ElementCount(0, last) > 1 &&
         IsAligned(static_cast<std::size_t>(whole[last]) * SizeOf(dtype));
}

// Places the operand in the whole if possible; true if it then lies there.
bool Place(Program& program, const Uses& uses, std::span<const KernelChoice> choices,
           const Slot& place, SlotId operand) {
  Slot& slot = program.slots[static_cast<std::size_t>(operand)];
  const auto index = static_cast<std::size_t>(operand);
  if (!IsAligned(place.offset_bytes) || slot.root != operand || !slot.in_arena() ||
      slot.inside != kNoSlot || slot.type.size_bytes() == 0 || uses.readers[index] != 1 ||
      uses.maker[index] == kNoStep) {
    return false;
  }
  const Step& maker = program.steps[uses.maker[index]];
  const KernelEntry& kernel = *choices[uses.maker[index]].entry;
  if (!kernel.rows_apart || maker.outputs.size() != 1) {
    return false;
  }
  slot.row_stride = place.row_stride;
  if (kernel.refusal != nullptr && !kernel.refusal(QueryOf(program, maker)).empty()) {
    slot.row_stride = 0;
    return false;
  }
  slot.inside = place.inside;
  slot.offset_bytes = place.offset_bytes;
  return true;
}

}  // namespace

void PlaceRows(Program& program, std::span<const KernelChoice> choices) {
  const Uses uses(program);
  for (Step& step : program.steps) {
    if (!JoinsRows(program, step)) {
      continue;
    }
    const TensorType& whole = program.SlotAt(step.outputs[0]).type;
    Slot place;
    place.inside = program.SlotAt(step.outputs[0]).root;
    place.row_stride = whole.shape[whole.shape.rank() - 1];
    step.in_place = true;
    for (const SlotId operand : step.inputs) {
      const Shape& shape = program.SlotAt(operand).type.shape;
      step.in_place = Place(program, uses, choices, place, operand) && step.in_place;
      place.offset_bytes += static_cast<std::size_t>(shape[shape.rank() - 1]) * SizeOf(whole.dtype);
    }
  }
}

}  // namespace halftone
