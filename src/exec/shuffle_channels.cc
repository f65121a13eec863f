#include "src/exec/shuffle_channels.h"

#include <algorithm>
#include <optional>

#include "src/ir/layout.h"

namespace halftone {
namespace {

class ShuffleFinder {
 public:
  explicit ShuffleFinder(Program& program) : program_(program) {}

  void Run() {
    for (Step& step : program_.steps) {
      if (step.op == OpKind::kTranspose && step.outputs.size() == 1) {
        Rewrite(step);
      }
    }
  }

 private:
  Slot& slot(SlotId id) { return program_.slots[static_cast<std::size_t>(id)]; }

  const Shape& ShapeOf(SlotId id) { return slot(id).type.shape; }

  // Calls visit(id) for every place that reads the bytes of `root`.
  template <typename Visit>
  void ForEachReader(SlotId root, const Visit& visit) {
    for (Step& step : program_.steps) {
      for (SlotId& id : step.inputs) {
        if (id != kNoSlot && slot(id).root == root) {
          visit(id);
        }
      }
    }
    for (SlotId& id : program_.graph_outputs) {
      if (slot(id).root == root) {
        visit(id);
      }
    }
  }

  // [N, C, ...] when all who read the result see it so.
  std::optional<Shape> ShapeForReaders(SlotId result) {
    std::optional<Shape> shape;
    bool same = true;
    ForEachReader(result, [&](SlotId id) {
      same = same && (!shape || *shape == ShapeOf(id));
      shape = ShapeOf(id);
    });
    return same ? shape : std::nullopt;
  }

  // The number of groups when `step` exchanges them with what they hold, else 0.
  std::int64_t GroupsOf(const Step& step, const Shape& image) {
    const Shape& x = ShapeOf(step.inputs[0]);
    std::vector<std::int64_t> exchanged(static_cast<std::size_t>(x.rank()));
    for (std::size_t axis = 0; axis < exchanged.size(); ++axis) {
      exchanged[axis] = static_cast<std::int64_t>(axis);
    }
    if (!HasChannelsLast(image.rank()) || x.rank() != image.rank() + 1) {
      return 0;
    }
    std::swap(exchanged[1], exchanged[2]);
    const bool fits = x[0] == image[0] && x[1] * x[2] == image[1] &&
                      x.ElementCount(3, x.rank()) == image.ElementCount(2, image.rank());
    return fits && step.attributes.Ints("perm") == exchanged ? x[1] : 0;
  }

  void Rewrite(Step& step) {
    const SlotId result = step.outputs[0];
    const SlotId root = slot(step.inputs[0]).root;
    const std::optional<Shape> image = ShapeForReaders(result);
    if (!image || ShapeOf(root) != *image || slot(root).constant) {
      return;
    }
    const std::int64_t groups = GroupsOf(step, *image);
    if (groups == 0) {
      return;
    }
    step.attributes = {};
    step.layout.shuffle_groups = groups;
    step.inputs = {root};
    slot(result).type.shape = *image;
    ForEachReader(result, [&](SlotId& id) { id = result; });
    for (SlotId& made : program_.slot_of_value) {
      made = made != kNoSlot && slot(made).root == result ? result : made;
    }
  }

  Program& program_;
};

}  // namespace

void FindChannelShuffles(Program& program) {
  ShuffleFinder(program).Run();
}

}  // namespace halftone
