#include "src/exec/place_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "kernels/strided/axis_indices.h"
#include "src/exec/step_query.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

struct Part {
  SlotId slot = kNoSlot;
  std::size_t offset_bytes = 0;
};

struct Parts {
  SlotId whole = kNoSlot;
  std::vector<Part> parts;
};

// The parts of `whole` that `slots` form along the axis of a step, one behind the other. Empty
// unless nothing stands before the axis, so that each part is one run of bytes.
std::optional<Parts> AlongAxis(const Program& program, const Step& step, SlotId whole,
                               const std::vector<SlotId>& slots) {
  const Shape& shape = program.SlotAt(whole).type.shape;
  const int axis = NormalizeAxis(step.attributes.Int("axis", 0), shape.rank());
  if (shape.ElementCount(0, axis) != 1) {
    return std::nullopt;
  }
  Parts parts{.whole = whole, .parts = {}};
  std::size_t offset = 0;
  for (const SlotId slot : slots) {
    if (slot == kNoSlot) {
      return std::nullopt;
    }
    parts.parts.push_back({slot, offset});
    offset += static_cast<std::size_t>(program.SlotAt(slot).type.size_bytes());
  }
  return parts;
}

std::optional<Parts> PartsOfConcat(const Program& program, const Step& step) {
  return AlongAxis(program, step, step.outputs[0], step.inputs);
}

std::optional<Parts> PartsOfSplit(const Program& program, const Step& step) {
  return AlongAxis(program, step, step.inputs[0], step.outputs);
}

bool Ascends(const std::vector<std::int64_t>& indices) {
  return std::adjacent_find(indices.begin(), indices.end(), [](std::int64_t a, std::int64_t b) {
           return b != a + 1;
         }) == indices.end();
}

// One run: whole axes at the end, a range of the axis before them, one index of those before that.
std::optional<Parts> PartsOfSlice(const Program& program, const Step& step) {
  const KernelQuery query = QueryOf(program, step);
  if (std::any_of(step.inputs.begin() + 1, step.inputs.end(), [&](SlotId id) {
        return id != kNoSlot && !program.SlotAt(program.SlotAt(id).root).constant;
      })) {
    return std::nullopt;
  }
  const AxisIndices indices = SliceIndices(query);
  std::int64_t stride = 1;
  std::int64_t offset = 0;
  bool whole_so_far = true;
  for (int axis = indices.source.rank() - 1; axis >= 0; --axis) {
    const auto& read = indices.axes[static_cast<std::size_t>(axis)];
    if (read.empty() || !Ascends(read) || (!whole_so_far && read.size() != 1)) {
      return std::nullopt;
    }
    offset += read.front() * stride;
    whole_so_far = whole_so_far && static_cast<std::int64_t>(read.size()) == indices.source[axis];
    stride *= indices.source[axis];
  }
  const auto bytes =
      static_cast<std::size_t>(offset) * SizeOf(program.SlotAt(step.inputs[0]).type.dtype);
  return Parts{.whole = step.inputs[0], .parts = {{step.outputs[0], bytes}}};
}

struct PartsRule {
  OpKind op;
  std::optional<Parts> (*parts)(const Program& program, const Step& step);
};

constexpr PartsRule kRules[] = {
    {OpKind::kConcat, PartsOfConcat},
    {OpKind::kSplit, PartsOfSplit},
    {OpKind::kSlice, PartsOfSlice},
};

// Places the part in the whole if possible; true if it then lies there.
bool Place(Program& program, const Parts& parts, const Part& part) {
  const SlotId root = program.SlotAt(part.slot).root;
  Slot& slot = program.slots[static_cast<std::size_t>(root)];
  const SlotId whole = program.SlotAt(parts.whole).root;
  if (!slot.in_arena() || slot.inside != kNoSlot || program.SlotAt(whole).constant ||
      program.SlotAt(program.StorageOf(whole).root).graph_input >= 0 ||
      part.offset_bytes % kPartAlignment != 0 || program.StorageOf(whole).root == root ||
      slot.type.size_bytes() == 0) {
    return false;
  }
  slot.inside = whole;
  slot.offset_bytes = part.offset_bytes;
  return true;
}

}  // namespace

void PlaceParts(Program& program) {
  for (Step& step : program.steps) {
    const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const PartsRule& each) { return each.op == step.op; });
    const auto parts = rule != std::end(kRules) ? rule->parts(program, step) : std::nullopt;
    if (!parts) {
      continue;
    }
    step.in_place = true;
    for (const Part& part : parts->parts) {
      step.in_place = Place(program, *parts, part) && step.in_place;
    }
  }
}

}  // namespace halftone
