#include "src/exec/layout_rules.h"

#include <algorithm>

#include "src/ir/layout.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

int RankOf(const Step& step, const Program& program) {
  return program.slots[static_cast<std::size_t>(step.outputs.at(0))].type.shape.rank();
}

bool NothingElse(Step& /*step*/, Program& /*program*/) {
  return true;
}

bool SetLayout(Step& step, Program& /*program*/) {
  step.layout.channels_last = true;
  return true;
}

bool MoveAxis(Step& step, Program& program) {
  const int rank = RankOf(step, program);
  const auto axis = static_cast<int>(step.attributes.Int("axis", 0));
  step.attributes.Set("axis", std::int64_t{PlaceOfAxis(rank, axis < 0 ? axis + rank : axis)});
  return true;
}

// A constant with one number for each axis, or several such groups one behind the other.
template <typename T>
Tensor PermutedByAxis(const Tensor& tensor, std::size_t rank) {
  Tensor result(tensor.dtype(), tensor.shape());
  const auto from = tensor.values<T>();
  const auto to = result.mutable_values<T>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto axis = AxisAtPlace(static_cast<int>(rank), static_cast<int>(i % rank));
    to[i] = from[i / rank * rank + static_cast<std::size_t>(axis)];
  }
  return result;
}

// Numbers per axis: of float32 or int64 in whole groups.
bool PermuteByAxis(Step& step, Program& program, std::size_t operand) {
  if (operand >= step.inputs.size() || step.inputs[operand] == kNoSlot) {
    return true;
  }
  const auto rank = static_cast<std::size_t>(RankOf(step, program));
  const Slot& slot = program.slots[static_cast<std::size_t>(step.inputs[operand])];
  if (!slot.constant || slot.constant->ElementCount() % static_cast<std::int64_t>(rank) != 0 ||
      (slot.type.dtype != DType::kFloat32 && slot.type.dtype != DType::kInt64)) {
    return false;
  }
  if (slot.constant->ElementCount() == 0) {
    return true;
  }
  const auto id = static_cast<SlotId>(program.slots.size());
  Slot permuted{.type = slot.type, .root = id};
  permuted.constant = slot.type.dtype == DType::kFloat32
                          ? PermutedByAxis<float>(*slot.constant, rank)
                          : PermutedByAxis<std::int64_t>(*slot.constant, rank);
  program.slots.push_back(std::move(permuted));
  step.inputs[operand] = id;
  return true;
}

// Resize: region, scales and sizes hold one number an axis.
template <std::size_t first>
bool PermuteResize(Step& step, Program& program) {
  if (step.attributes.Has("axes")) {
    return false;
  }
  return PermuteByAxis(step, program, first) && PermuteByAxis(step, program, first + 1) &&
         PermuteByAxis(step, program, first + 2);
}

// Pad: begins and ends; with the operand `axes` they are of some axes only.
bool PermutePad(Step& step, Program& program) {
  if (step.inputs.size() > 3 && step.inputs[3] != kNoSlot) {
    return false;
  }
  return PermuteByAxis(step, program, 1);
}

// Slice: the operand `axes`, which may count from the end; left out, it would have to be made.
bool MoveAxesOfSlice(Step& step, Program& program) {
  const int rank = RankOf(step, program);
  if (step.inputs.size() < 4 || step.inputs[3] == kNoSlot) {
    return false;
  }
  const Slot slot = program.slots[static_cast<std::size_t>(step.inputs[3])];
  if (!slot.constant || slot.type.dtype != DType::kInt64) {
    return false;
  }
  const auto id = static_cast<SlotId>(program.slots.size());
  Slot moved{.type = slot.type, .root = id};
  moved.constant = Tensor(slot.constant->dtype(), slot.constant->shape());
  const auto from = slot.constant->values<std::int64_t>();
  const auto to = moved.constant->mutable_values<std::int64_t>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto axis = static_cast<int>(from[i] < 0 ? from[i] + rank : from[i]);
    to[i] = PlaceOfAxis(rank, axis);
  }
  program.slots.push_back(std::move(moved));
  step.inputs[3] = id;
  return true;
}

// Serves a channel shuffle only, as src/exec/shuffle_channels.h makes it.
bool ShuffleInPlace(Step& step, Program& program) {
  return step.layout.shuffle_groups != 0 && SetLayout(step, program);
}

// Indices of MaxPool count in [N, C, H, W].
bool SetLayoutForOneOutput(Step& step, Program& program) {
  return step.outputs.size() == 1 && SetLayout(step, program);
}

// One scale serves both layouts; one for each index of an axis moves with it.
bool MoveAxisOfScale(Step& step, Program& program) {
  if (step.attributes.Int("block_size", 0) != 0) {
    return false;
  }
  const Slot& scale = program.slots[static_cast<std::size_t>(step.inputs.at(1))];
  if (scale.type.shape.ElementCount() != 1) {
    const int rank = RankOf(step, program);
    const auto axis = static_cast<int>(step.attributes.Int("axis", 1));
    step.attributes.Set("axis", std::int64_t{PlaceOfAxis(rank, axis < 0 ? axis + rank : axis)});
  }
  return true;
}

// One table serves both layouts; one for each index of an axis moves with it.
bool MoveAxisOfTables(Step& step, Program& program) {
  const Slot& tables = program.slots[static_cast<std::size_t>(step.inputs.at(1))];
  if (tables.type.shape.rank() > 1) {
    const int rank = RankOf(step, program);
    const auto axis = static_cast<int>(step.attributes.Int("axis", 1));
    step.attributes.Set("axis", std::int64_t{PlaceOfAxis(rank, axis < 0 ? axis + rank : axis)});
  }
  return true;
}

constexpr LayoutRule kRules[] = {
    // operator                  starts first_only kernel rewrite
    {OpKind::kConv, true, true, true, SetLayout},
    {OpKind::kMaxPool, false, true, true, SetLayoutForOneOutput},
    {OpKind::kAveragePool, false, true, true, SetLayout},
    {OpKind::kGlobalMaxPool, false, true, true, SetLayout},
    {OpKind::kGlobalAveragePool, false, true, true, SetLayout},
    {OpKind::kTranspose, false, true, true, ShuffleInPlace},
    {OpKind::kLrn, false, true, true, SetLayout},
    {OpKind::kBatchNormalization, false, true, true, SetLayout},
    {OpKind::kConcat, false, false, false, MoveAxis},
    {OpKind::kSplit, false, true, false, MoveAxis},
    {OpKind::kSlice, false, true, false, MoveAxesOfSlice},
    {OpKind::kResize, false, true, true, PermuteResize<1>},
    {OpKind::kPad, false, true, false, PermutePad},
    {OpKind::kConvInteger, true, true, true, SetLayout},
    {OpKind::kQLinearConv, true, true, true, SetLayout},
    {OpKind::kQLinearConvTranspose, true, true, true, SetLayout},
    {OpKind::kQLinearAdd, false, false, false, NothingElse},
    {OpKind::kQLinearMul, false, false, false, NothingElse},
    {OpKind::kQLinearConcat, false, false, false, MoveAxis},
    {OpKind::kQLinearAveragePool, false, true, true, SetLayout},
    {OpKind::kQLinearGlobalAveragePool, false, true, true, SetLayout},
    {OpKind::kQLinearResize, false, true, true, PermuteResize<5>},
    {OpKind::kQLinearLookup, false, true, false, MoveAxisOfTables},
    {OpKind::kQuantizeLinear, false, true, true, MoveAxisOfScale},
    {OpKind::kDequantizeLinear, false, true, true, MoveAxisOfScale},
};

constexpr LayoutRule kElementwiseRule{OpKind::kIdentity, false, false, false, NothingElse};

}  // namespace

const LayoutRule* FindLayoutRule(OpKind op) {
  const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const LayoutRule& rule) { return rule.op == op; });
  if (found != std::end(kRules)) {
    return found;
  }
  return InfoOf(op).Is(kElementwise) ? &kElementwiseRule : nullptr;
}

Tensor ConstantWithChannelsLast(const Tensor& tensor, int rank) {
  std::vector<std::int64_t> dims(static_cast<std::size_t>(rank - tensor.shape().rank()), 1);
  dims.insert(dims.end(), tensor.shape().dims().begin(), tensor.shape().dims().end());
  Tensor result(tensor.dtype(), ChannelsLastOf(Shape(dims)));
  const std::size_t element = SizeOf(tensor.dtype());
  for (std::int64_t i = 0; i < result.ElementCount(); ++i) {
    const std::int64_t from = ChannelsFirstElement(result.shape(), i);
    std::copy_n(tensor.data() + static_cast<std::size_t>(from) * element, element,
                result.mutable_data() + static_cast<std::size_t>(i) * element);
  }
  return result;
}

}  // namespace halftone
