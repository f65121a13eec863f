#include "src/passes/pattern/rotary_match.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/strided/axis_indices.h"

namespace halftone {
namespace {

using Indices = std::vector<std::int64_t>;

// Elements of the last axis of x, all else as it is.
struct Picked {
  ValueId x = kNoValue;
  Indices indices;
  double sign = 1;
};

// A product of a constant and something else.
struct Scaled {
  ValueId value = kNoValue;
  ValueId constant = kNoValue;
};

class PairFinder {
 public:
  PairFinder(const Graph& graph, const std::vector<NodeId>& producers)
      : graph_(graph), producers_(producers) {}

  // x C + R(x) S
  std::optional<RotaryMatch> AtSum(NodeId last) {
    const auto products = ProductsOf(last);
    if (!products) {
      return std::nullopt;
    }
    for (const std::size_t own : {0, 1}) {
      const Scaled& plain = (*products)[own];
      const Scaled& turned = (*products)[1 - own];
      const std::vector<NodeId> nodes = nodes_;
      if (auto found = AtSumOf(plain, turned)) {
        return Finished(std::move(*found));
      }
      nodes_ = nodes;
    }
    return std::nullopt;
  }

  // Concat of a c - b s and a s + b c
  std::optional<RotaryMatch> AtConcat(NodeId last) {
    const Node& concat = graph_.node(last);
    const Shape& shape = ShapeOf(concat.outputs[0]);
    if (concat.inputs.size() != 2 ||
        NormalizeAxis(concat.attributes.Int("axis", 0), shape.rank()) != shape.rank() - 1) {
      return std::nullopt;
    }
    nodes_.push_back(last);
    const bool neighbours = MakerOf(concat.inputs[0], OpKind::kUnsqueeze) != kNoNode;
    const auto difference = PartOf(concat.inputs[0], OpKind::kSub, neighbours);
    const auto sum = PartOf(concat.inputs[1], OpKind::kAdd, neighbours);
    if (!difference || !sum) {
      return std::nullopt;
    }
    const auto& [ac, bs] = *difference;
    const auto& [first, second] = *sum;
    const bool in_order = first.value == ac.value;
    const Scaled& as = in_order ? first : second;
    const Scaled& bc = in_order ? second : first;
    if (as.value != ac.value || bc.value != bs.value || !AreSame(as.constant, bs.constant) ||
        !AreSame(bc.constant, ac.constant)) {
      return std::nullopt;
    }
    auto found = PairsOf(PickedBy(ac.value), PickedBy(bs.value), neighbours);
    if (!found) {
      return std::nullopt;
    }
    std::vector<std::int64_t> dims = found->leading.dims();
    dims.push_back(found->pairs);
    const Shape target(std::move(dims));
    const auto cos = NumbersOf(ac.constant, target);
    const auto sin = NumbersOf(bs.constant, target);
    if (!cos || !sin) {
      return std::nullopt;
    }
    found->angles = {*cos, *sin, RepeatsOf({ac.constant, bs.constant}, target)};
    return Finished(std::move(*found));
  }

 private:
  [[nodiscard]] const Shape& ShapeOf(ValueId id) const { return graph_.value(id).type.shape; }

  [[nodiscard]] NodeId MakerOf(ValueId id, OpKind op) const {
    const NodeId maker = id == kNoValue ? kNoNode : producers_[static_cast<std::size_t>(id)];
    return maker != kNoNode && graph_.node(maker).op == op ? maker : kNoNode;
  }

  [[nodiscard]] bool AreSame(ValueId a, ValueId b) const {
    const Tensor& left = *graph_.value(a).constant;
    const Tensor& right = *graph_.value(b).constant;
    return a == b ||
           (left.type() == right.type() && std::equal(left.bytes().begin(), left.bytes().end(),
                                                      right.bytes().begin(), right.bytes().end()));
  }

  std::optional<Scaled> ScaledBy(ValueId id) {
    const NodeId maker = MakerOf(id, OpKind::kMul);
    if (maker == kNoNode) {
      return std::nullopt;
    }
    const std::vector<ValueId>& inputs = graph_.node(maker).inputs;
    const bool swapped = graph_.value(inputs[0]).constant.has_value();
    const Scaled scaled{inputs[swapped ? 1 : 0], inputs[swapped ? 0 : 1]};
    if (!graph_.value(scaled.constant).constant || graph_.value(scaled.value).constant) {
      return std::nullopt;
    }
    nodes_.push_back(maker);
    return scaled;
  }

  // The two products that a sum or difference is of.
  std::optional<std::array<Scaled, 2>> ProductsOf(NodeId sum) {
    nodes_.push_back(sum);
    const auto a = ScaledBy(graph_.node(sum).inputs[0]);
    const auto b = ScaledBy(graph_.node(sum).inputs[1]);
    return a && b ? std::optional(std::array{*a, *b}) : std::nullopt;
  }

  // The two products of the sum or difference that a part of the last Concat is, behind an
  // Unsqueeze where the part is one of `neighbours`.
  std::optional<std::array<Scaled, 2>> PartOf(ValueId part, OpKind op, bool neighbours) {
    if (neighbours) {
      const NodeId unsqueeze = MakerOf(part, OpKind::kUnsqueeze);
      if (unsqueeze == kNoNode || ShapeOf(part)[ShapeOf(part).rank() - 1] != 1) {
        return std::nullopt;
      }
      nodes_.push_back(unsqueeze);
      part = graph_.node(unsqueeze).inputs[0];
    }
    const NodeId maker = MakerOf(part, op);
    return maker == kNoNode ? std::nullopt : ProductsOf(maker);
  }

  // Elements that a Gather, Slice or Split picked, perhaps with a Squeeze of its one element
  // behind.
  std::optional<Picked> PickedBy(ValueId id) {
    const NodeId maker = producers_[static_cast<std::size_t>(id)];
    if (maker == kNoNode) {
      return std::nullopt;
    }
    const Node& node = graph_.node(maker);
    nodes_.push_back(maker);
    switch (node.op) {
      case OpKind::kSqueeze: {
        const Shape& from = ShapeOf(node.inputs[0]);
        if (from.rank() == 0) {
          return std::nullopt;
        }
        const std::vector<std::int64_t> dims(from.dims().begin(), from.dims().end() - 1);
        return from[from.rank() - 1] == 1 && ShapeOf(id) == Shape(dims) ? PickedBy(node.inputs[0])
                                                                        : std::nullopt;
      }
      case OpKind::kGather:
        return ByGather(node);
      case OpKind::kSlice:
        return BySlice(node);
      case OpKind::kSplit:
        return BySplit(node, id);
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<Picked> ByGather(const Node& node) const {
    const Shape& shape = ShapeOf(node.inputs[0]);
    const auto& constant = graph_.value(node.inputs[1]).constant;
    if (!constant || constant->shape().rank() > 1 ||
        NormalizeAxis(node.attributes.Int("axis", 0), shape.rank()) != shape.rank() - 1) {
      return std::nullopt;
    }
    Picked picked{.x = node.inputs[0], .indices = IntegersOf(*constant)};
    for (std::int64_t& index : picked.indices) {
      index += index < 0 ? shape[shape.rank() - 1] : 0;
    }
    return picked;
  }

  [[nodiscard]] std::optional<Picked> BySlice(const Node& node) const {
    KernelQuery query{.op = node.op, .attributes = &node.attributes};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Value* value = node.inputs[i] == kNoValue ? nullptr : &graph_.value(node.inputs[i]);
      query.inputs.push_back(value == nullptr ? nullptr : &value->type);
      query.constants.push_back(value == nullptr || !value->constant ? nullptr : &*value->constant);
      if (i > 0 && value != nullptr && !value->constant) {
        return std::nullopt;
      }
    }
    query.outputs = {&graph_.value(node.outputs[0]).type};
    AxisIndices indices = SliceIndices(query);
    for (std::size_t axis = 0; axis + 1 < indices.axes.size(); ++axis) {
      if (indices.axes[axis] != IdentityIndices(indices.source[static_cast<int>(axis)])) {
        return std::nullopt;
      }
    }
    return Picked{.x = node.inputs[0], .indices = std::move(indices.axes.back())};
  }

  [[nodiscard]] std::optional<Picked> BySplit(const Node& node, ValueId id) const {
    const Shape& shape = ShapeOf(node.inputs[0]);
    const int last = shape.rank() - 1;
    if (NormalizeAxis(node.attributes.Int("axis", 0), shape.rank()) != last) {
      return std::nullopt;
    }
    std::int64_t first = 0;
    for (const ValueId output : node.outputs) {
      if (output == id) {
        break;
      }
      first += ShapeOf(output)[last];
    }
    Picked picked{.x = node.inputs[0], .indices = IdentityIndices(ShapeOf(id)[last])};
    for (std::int64_t& index : picked.indices) {
      index += first;
    }
    return picked;
  }

  // a and b as the elements of pairs.
  [[nodiscard]] std::optional<RotaryMatch> PairsOf(const std::optional<Picked>& a,
                                                   const std::optional<Picked>& b,
                                                   bool neighbours) const {
    if (!a || !b || a->x != b->x) {
      return std::nullopt;
    }
    const Shape& shape = ShapeOf(a->x);
    const auto count = static_cast<std::int64_t>(a->indices.size());
    std::vector<std::int64_t> leading(shape.dims().begin(), shape.dims().end() - 1);
    RotaryMatch found{.x = a->x, .pairs = count, .interleaved = neighbours};
    if (neighbours && shape[shape.rank() - 1] == 2 && count == 1 && leading.size() > 1) {
      found.pairs = leading.back();  // the pairs are an axis
      leading.pop_back();
    } else if (2 * count != shape[shape.rank() - 1]) {
      return std::nullopt;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (a->indices[at] != (neighbours ? 2 * k : k) || b->indices.size() != a->indices.size() ||
          b->indices[at] != (neighbours ? 2 * k + 1 : count + k)) {
        return std::nullopt;
      }
    }
    found.leading = Shape(std::move(leading));
    return found;
  }

  // R(x): where each element comes from, with its sign.
  std::optional<std::pair<Picked, std::vector<double>>> Turned(ValueId id) {
    if (const NodeId concat = MakerOf(id, OpKind::kConcat); concat != kNoNode) {
      const Node& node = graph_.node(concat);
      const int rank = ShapeOf(id).rank();
      const NodeId neg = node.inputs.size() == 2 ? MakerOf(node.inputs[0], OpKind::kNeg) : kNoNode;
      if (neg == kNoNode || NormalizeAxis(node.attributes.Int("axis", 0), rank) != rank - 1) {
        return std::nullopt;
      }
      nodes_.insert(nodes_.end(), {concat, neg});
      auto negated = PickedBy(graph_.node(neg).inputs[0]);
      const auto plain = PickedBy(node.inputs[1]);
      if (!negated || !plain || negated->x != plain->x) {
        return std::nullopt;
      }
      std::vector<double> signs(negated->indices.size(), -1);
      negated->indices.insert(negated->indices.end(), plain->indices.begin(), plain->indices.end());
      signs.resize(negated->indices.size(), 1);
      return std::pair(std::move(*negated), std::move(signs));
    }
    if (MakerOf(id, OpKind::kGather) == kNoNode) {
      return std::nullopt;
    }
    auto picked = PickedBy(id);
    std::vector<double> signs(picked ? picked->indices.size() : 0, 1);
    return picked ? std::optional(std::pair(std::move(*picked), std::move(signs))) : std::nullopt;
  }

  std::optional<RotaryMatch> AtSumOf(const Scaled& plain, const Scaled& scaled) {
    const auto turned = Turned(scaled.value);
    const Shape& shape = ShapeOf(plain.value);
    if (!turned || turned->first.x != plain.value || ShapeOf(scaled.value) != shape) {
      return std::nullopt;
    }
    // No structured binding: clang 14 does not let lambdas capture one.
    const auto& picked = turned->first;
    const auto& signs = turned->second;
    const auto count = static_cast<std::int64_t>(picked.indices.size());
    const auto is = [&](auto&& partner) {
      for (std::int64_t k = 0; k < count; ++k) {
        if (picked.indices[static_cast<std::size_t>(k)] != partner(k)) {
          return false;
        }
      }
      return true;
    };
    const bool halves = is([&](std::int64_t k) { return (k + count / 2) % count; });
    if (count % 2 != 0 || (!halves && !is([](std::int64_t k) { return k ^ 1; }))) {
      return std::nullopt;
    }
    RotaryMatch found{
        .x = plain.value,
        .leading = Shape(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end() - 1)),
        .pairs = count / 2,
        .interleaved = !halves};
    const auto cos = NumbersOf(plain.constant, shape);
    const auto sin = NumbersOf(scaled.constant, shape);
    if (!cos || !sin) {
      return std::nullopt;
    }
    found.angles.repeats = RepeatsOf({plain.constant, scaled.constant}, shape);
    for (std::size_t row = 0; row < cos->size(); row += static_cast<std::size_t>(count)) {
      for (std::int64_t k = 0; k < count / 2; ++k) {
        const auto first = static_cast<std::size_t>(halves ? k : 2 * k);
        const auto second = static_cast<std::size_t>(halves ? count / 2 + k : 2 * k + 1);
        const double s = signs[second] * (*sin)[row + second];
        if ((*cos)[row + first] != (*cos)[row + second] ||
            signs[first] * (*sin)[row + first] != -s) {
          return std::nullopt;
        }
        found.angles.cos.push_back((*cos)[row + first]);
        found.angles.sin.push_back(s);
      }
    }
    return found;
  }

  // The constant at each element of `target`; empty when it is not broadcast to it.
  [[nodiscard]] std::optional<std::vector<double>> NumbersOf(ValueId id,
                                                             const Shape& target) const {
    const Tensor& constant = *graph_.value(id).constant;
    if (constant.shape().rank() > target.rank() || target.ElementCount() > kMostAngles ||
        BroadcastShapes(constant.shape(), target) != target) {
      return std::nullopt;
    }
    const std::vector<std::int64_t> own = StridesOf(constant.shape());
    std::vector<double> numbers(static_cast<std::size_t>(target.ElementCount()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i);
      std::int64_t at = 0;
      for (int back = 1; back <= constant.shape().rank(); ++back) {
        const int axis = constant.shape().rank() - back;
        const std::int64_t extent = target[target.rank() - back];
        at += constant.shape()[axis] == 1 ? 0 : rest % extent * own[static_cast<std::size_t>(axis)];
        rest /= extent;
      }
      numbers[i] = DoubleAt(constant.dtype(), constant.data(), at);
    }
    return numbers;
  }

  [[nodiscard]] std::vector<bool> RepeatsOf(const std::array<ValueId, 2>& constants,
                                            const Shape& target) const {
    std::vector<bool> repeats(static_cast<std::size_t>(target.rank() - 1), true);
    for (const ValueId id : constants) {
      const Shape& shape = ShapeOf(id);
      for (int back = 2; back <= shape.rank(); ++back) {
        if (shape[shape.rank() - back] != 1) {
          repeats[static_cast<std::size_t>(target.rank() - back)] = false;
        }
      }
    }
    return repeats;
  }

  RotaryMatch Finished(RotaryMatch found) {
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    found.nodes = nodes_;
    return found;
  }

  const Graph& graph_;
  const std::vector<NodeId>& producers_;
  std::vector<NodeId> nodes_;
};

}  // namespace

std::optional<RotaryMatch> MatchRotary(const Graph& graph, const std::vector<NodeId>& producers,
                                       NodeId last) {
  const OpKind op = graph.node(last).op;
  return op == OpKind::kAdd      ? PairFinder(graph, producers).AtSum(last)
         : op == OpKind::kConcat ? PairFinder(graph, producers).AtConcat(last)
                                 : std::nullopt;
}

}  // namespace halftone
