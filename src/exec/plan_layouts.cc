#include "src/exec/plan_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/error.h"
#include "src/exec/layout_rules.h"
#include "src/exec/shuffle_channels.h"
#include "src/exec/step_query.h"
#include "src/ir/fused_operands.h"
#include "src/ir/layout.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

using Permutation = std::vector<std::int64_t>;

class LayoutPlanner {
 public:
  LayoutPlanner(Program& program, const KernelPreference& preference)
      : program_(program), preference_(preference) {}

  void Run() {
    for (std::size_t value = 0; value < program_.slot_of_value.size(); ++value) {
      if (program_.slot_of_value[value] != kNoSlot) {
        SetValue(program_.slot_of_value[value], static_cast<ValueId>(value));
      }
    }
    for (const Step& step : program_.steps) {
      for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.outputs[i] != kNoSlot) {
          SetValue(step.outputs[i], step.values[i]);
        }
      }
    }
    for (Step& step : program_.steps) {
      if (IsThereAlready(step)) {
        continue;
      }
      if (!ToChannelsLast(step)) {
        KeepChannelsFirst(step);
      }
      steps_.push_back(std::move(step));
    }
    for (const SlotId output : program_.graph_outputs) {
      EnsureFirst(slot(output).root);
    }
    program_.steps = std::move(steps_);
  }

 private:
  Slot& slot(SlotId id) { return program_.slots[static_cast<std::size_t>(id)]; }

  // Entries of tables by slot; slots are added while planning.
  template <typename T>
  static T& At(std::vector<T>& table, SlotId id) {
    const auto i = static_cast<std::size_t>(id);
    if (table.size() <= i) {
      table.resize(i + 1, T{});
    }
    return table[i];
  }

  SlotId NewSlot(TensorType type, SlotId root) {
    const auto id = static_cast<SlotId>(program_.slots.size());
    program_.slots.push_back({.type = std::move(type), .root = root == kNoSlot ? id : root});
    return id;
  }

  // One pixel or one channel: the same bytes in both layouts.
  static bool SameBytes(const Shape& first) {
    return first[1] == 1 || first.ElementCount(2, first.rank()) == 1;
  }

  // The attribute of a Transpose to channels last, or back.
  static Permutation To(bool last, int rank) {
    Permutation permutation;
    for (int i = 0; i < rank; ++i) {
      permutation.push_back(last ? AxisAtPlace(rank, i) : PlaceOfAxis(rank, i));
    }
    return permutation;
  }

  [[nodiscard]] std::optional<SlotId> LastOf(SlotId id) {
    const SlotId known = At(last_of_, id);
    return known == 0 ? std::nullopt : std::optional(known - 1);
  }

  [[nodiscard]] ValueId ValueOf(SlotId id) { return At(value_of_, id) - 1; }

  void SetValue(SlotId id, ValueId value) { At(value_of_, id) = value + 1; }

  void SetLast(SlotId first, SlotId last) { At(last_of_, first) = last + 1; }

  void AddTranspose(SlotId from, SlotId to, ValueId value, bool channels_last) {
    Step step{.node = fmt::format("transpose to channels {}", channels_last ? "last" : "first"),
              .op = OpKind::kTranspose,
              .attributes = {}};
    step.attributes.Set("perm", To(channels_last, slot(from).type.shape.rank()));
    step.inputs = {from};
    step.outputs = {to};
    step.node_op = OpKind::kTranspose;
    step.values = {value};
    step.channels_last = channels_last;
    steps_.push_back(std::move(step));
  }

  // Makes the bytes of a slot of the lowered program exist.
  void EnsureFirst(SlotId root) {
    if (!At(only_last_, root)) {
      return;
    }
    At(only_last_, root) = false;
    AddTranspose(*LastOf(root), root, ValueOf(root), false);
  }

  // A step that stays as it is reads all its operands with channels first.
  void KeepChannelsFirst(const Step& step) {
    for (const SlotId input : step.inputs) {
      if (input != kNoSlot) {
        EnsureFirst(slot(input).root);
      }
    }
  }

  // The slot that holds `id` with channels last; of a constant, filled up to `rank` axes.
  SlotId Last(SlotId id, int rank) {
    const bool constant = slot(slot(id).root).constant.has_value();
    if (const auto known = LastOf(id);
        known && (!constant || slot(*known).type.shape.rank() == rank)) {
      return *known;
    }
    if (constant) {
      const Tensor permuted = ConstantWithChannelsLast(*slot(slot(id).root).constant, rank);
      const SlotId last = NewSlot(permuted.type(), kNoSlot);
      slot(last).constant = permuted;
      SetLast(id, last);
      return last;
    }
    EnsureFirst(slot(id).root);
    const TensorType type{slot(id).type.dtype, ChannelsLastOf(slot(id).type.shape)};
    SlotId last = kNoSlot;
    if (SameBytes(slot(id).type.shape)) {
      last = NewSlot(type, slot(id).root);
    } else {
      last = NewSlot(type, kNoSlot);
      AddTranspose(id, last, ValueOf(id), true);
    }
    SetLast(id, last);
    return last;
  }

  bool IsConstant(SlotId id) { return slot(slot(id).root).constant.has_value(); }

  // Operands that follow the layout; constants of one element serve both.
  bool Follows(const LayoutRule& rule, const Step& step, std::size_t i) {
    const SlotId id = step.inputs[i];
    const bool fused = IsFusedOperand(InfoOf(step.op), i);  // it is added to the result
    if (id == kNoSlot || (rule.first_operand_only && i > 0 && !fused)) {
      return false;
    }
    return !IsConstant(id) || slot(id).type.shape.ElementCount() != 1;
  }

  bool OperandsFit(const LayoutRule& rule, const Step& step) {
    const int rank = slot(step.outputs[0]).type.shape.rank();
    bool any_last = false;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (!Follows(rule, step, i)) {
        continue;
      }
      const Shape& shape = slot(step.inputs[i]).type.shape;
      if (IsConstant(step.inputs[i])) {
        // A view of a constant has another shape than its root.
        if (shape.rank() > rank || slot(step.inputs[i]).root != step.inputs[i]) {
          return false;
        }
      } else if (shape.rank() != rank) {
        return false;
      } else {
        any_last = any_last || LastOf(step.inputs[i]).has_value();
      }
    }
    return any_last || rule.starts;
  }

  // All of them are there and have the same number of axes.
  bool OutputsFit(const Step& step) {
    return std::all_of(step.outputs.begin(), step.outputs.end(), [&](SlotId id) {
      return id != kNoSlot && slot(id).type.shape.rank() == slot(step.outputs[0]).type.shape.rank();
    });
  }

  // The slot that a rewritten step makes in place of `first`.
  SlotId LastOutput(SlotId first) {
    const bool same_bytes = SameBytes(slot(first).type.shape);
    const SlotId output = NewSlot({slot(first).type.dtype, ChannelsLastOf(slot(first).type.shape)},
                                  same_bytes ? first : kNoSlot);
    SetLast(first, output);
    if (!same_bytes) {
      At(only_last_, first) = true;
      for (SlotId& made : program_.slot_of_value) {
        made = made == first ? output : made;
      }
    }
    return output;
  }

  // True if a kernel other than the reference takes the step with channels last. `first` is the
  // step with its operands as they are now.
  bool HasKernel(const Step& step, const Step& first, const LayoutRule& rule) {
    KernelQuery query = QueryOf(program_, step);
    std::vector<TensorType> types(step.inputs.size() + 1);
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (Follows(rule, first, i) && !IsConstant(step.inputs[i])) {
        types[i] = {query.inputs[i]->dtype, ChannelsLastOf(query.inputs[i]->shape)};
        query.inputs[i] = &types[i];
      }
    }
    types.back() = {query.outputs[0]->dtype, ChannelsLastOf(query.outputs[0]->shape)};
    query.outputs[0] = &types.back();
    try {
      return !SelectKernel(query, preference_).entry->is_reference;
    } catch (const Error&) {
      return false;
    }
  }

  // A Transpose of [N, C, ...] to [N, ..., C] whose result the bytes with channels last are: its
  // readers read those. A result that the caller gets is copied.
  bool IsThereAlready(Step& step) {
    if (step.op != OpKind::kTranspose || step.inputs.size() != 1 || step.outputs.size() != 1) {
      return false;
    }
    const SlotId root = slot(step.inputs[0]).root;
    const std::optional<SlotId> last = LastOf(root);
    const Shape& seen = slot(step.inputs[0]).type.shape;
    const Shape& image = slot(root).type.shape;
    if (!last || slot(root).constant || seen.rank() < 3 || seen[0] != image[0] ||
        seen[1] != image[1] || step.attributes.Ints("perm") != To(true, seen.rank())) {
      return false;
    }
    const SlotId result = step.outputs[0];
    if (slot(result).graph_output >= 0) {
      const SlotId view = NewSlot(slot(result).type, slot(*last).root);
      step.op = OpKind::kIdentity;
      step.attributes = {};
      step.inputs = {view};
      steps_.push_back(std::move(step));
      return true;
    }
    for (Slot& each : program_.slots) {
      each.root = each.root == result ? slot(*last).root : each.root;
    }
    return true;
  }

  // Rewrites the step for channels last, or leaves it as it is and returns false.
  bool ToChannelsLast(Step& step) {
    const LayoutRule* rule = FindLayoutRule(step.op);
    if (rule == nullptr || step.reference_only || !OutputsFit(step)) {
      return false;
    }
    const int rank = slot(step.outputs[0]).type.shape.rank();
    if (!HasChannelsLast(rank) || !OperandsFit(*rule, step)) {
      return false;
    }
    Step last = step;
    if (!rule->rewrite(last, program_) || (rule->needs_kernel && !HasKernel(last, step, *rule))) {
      return false;
    }
    for (std::size_t i = 0; i < last.inputs.size(); ++i) {
      if (Follows(*rule, step, i)) {
        last.inputs[i] = Last(last.inputs[i], rank);
      } else if (last.inputs[i] != kNoSlot) {
        EnsureFirst(slot(last.inputs[i]).root);
      }
    }
    for (SlotId& output : last.outputs) {
      output = LastOutput(output);
    }
    last.channels_last = true;
    step = std::move(last);
    return true;
  }

  Program& program_;
  const KernelPreference& preference_;
  std::vector<Step> steps_;
  std::vector<SlotId> last_of_;    // by slot: 1 + the slot with channels last; 0: none
  std::vector<char> only_last_;    // by root: its own bytes are not made yet
  std::vector<ValueId> value_of_;  // by slot: 1 + the value it holds; 0: none
};

}  // namespace

void PlanLayouts(Program& program, const KernelPreference& preference) {
  if (!preference.reference_only) {
    FindChannelShuffles(program);
    LayoutPlanner(program, preference).Run();
  }
}

}  // namespace halftone
