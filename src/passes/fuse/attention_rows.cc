#include "src/passes/fuse/attention_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/attention/attention.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

class RowFusion {
 public:
  RowFusion(Graph& graph, const Fusing& fusing)
      : graph_(graph),
        fusing_(fusing),
        producers_(ProducersOf(graph)),
        readers_(SingleUseReadersOf(graph)) {}

  void FuseAt(NodeId n) {
    const Node& attention = graph_.node(n);
    const NodeId back = ReaderOf(attention.outputs[0]);
    // An Attention with three axes and several heads reads rows already.
    bool fits = back != kNoNode && ExchangesHeads(graph_.node(back)) &&
                attention.attributes.Int("q_num_heads", 1) == 1;
    std::vector<NodeId> nodes = {n, back};
    for (std::size_t i = 0; fits && i <= kValue; ++i) {
      const NodeId maker = MakerFor(n, attention.inputs[i]);
      fits = maker != kNoNode && ExchangesHeads(graph_.node(maker));
      nodes.push_back(maker);
    }
    if (!fits || !fusing_.MayFuse(graph_, nodes)) {
      return;
    }
    // Three axes: one image whose heads they are.
    const auto heads = [&](std::size_t i) {
      const Shape& shape = TypeOf(graph_.node(n).inputs[i]).shape;
      return shape[shape.rank() - 3];
    };
    Node fused = graph_.node(n);
    fused.attributes.Set("q_num_heads", heads(kQuery));
    fused.attributes.Set("kv_num_heads", heads(kKey));
    const std::vector<ValueId> operands(fused.inputs.begin(), fused.inputs.begin() + kValue + 1);
    for (std::size_t i = 0; i <= kValue; ++i) {
      const auto same = std::find(operands.begin(), operands.end(), operands[i]) - operands.begin();
      fused.inputs[i] = static_cast<std::size_t>(same) < i
                            ? fused.inputs[static_cast<std::size_t>(same)]
                            : TakeRows(fused, MakerFor(n, operands[i]));
    }
    GiveRows(fused, back);
    At(n) = std::move(fused);
  }

 private:
  [[nodiscard]] Node& At(NodeId id) { return graph_.nodes[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const TensorType& TypeOf(ValueId id) const { return graph_.value(id).type; }

  [[nodiscard]] NodeId ReaderOf(ValueId id) const { return readers_[static_cast<std::size_t>(id)]; }

  // Valid while nodes change: none of them is in two matches.
  [[nodiscard]] NodeId MakerFor(NodeId reader, ValueId value) const {
    return ReaderOf(value) == reader ? producers_[static_cast<std::size_t>(value)] : kNoNode;
  }

  // Rows of heads to heads of rows, or back.
  [[nodiscard]] bool ExchangesHeads(const Node& node) const {
    if (node.op != OpKind::kTranspose) {
      return false;
    }
    const std::vector<std::int64_t> perm = PermutationOf(graph_, node);
    return perm == std::vector<std::int64_t>{0, 2, 1, 3} ||
           perm == std::vector<std::int64_t>{1, 0, 2};
  }

  // [.., length, heads, size] as rows.
  static Shape RowsOf(const Shape& shape) {
    const int rank = shape.rank();
    return {rank == 4 ? shape[0] : 1, shape[rank - 3], shape[rank - 2] * shape[rank - 1]};
  }

  // A Reshape that brings one to the other.
  [[nodiscard]] bool IsReshape(NodeId node, const Shape& from, const Shape& to) const {
    return node != kNoNode && graph_.node(node).op == OpKind::kReshape &&
           TypeOf(graph_.node(node).inputs[0]).shape == from &&
           TypeOf(graph_.node(node).outputs[0]).shape == to;
  }

  // The elements of a value as they are before or behind an exchange of heads.
  ValueId AddExchanged(ValueId value, const Shape& shape) {
    return graph_.AddValue({.name = graph_.value(value).name + "/rows",
                            .type = {TypeOf(value).dtype, shape},
                            .constant = {},
                            .stands_for = value});
  }

  void BecomeReshape(Node& node, const Shape& shape) {
    Tensor dims = fusing_.Integers(shape.dims());
    const TensorType type = dims.type();
    const ValueId constant =
        graph_.AddValue({.name = node.name + "/shape", .type = type, .constant = std::move(dims)});
    node.op = OpKind::kReshape;
    node.attributes = {};
    node.inputs = {node.inputs[0], constant};
  }

  // The rows that `transpose` makes heads of. It goes into the Attention with the Reshape that made
  // its operand of such rows, or becomes a Reshape to them.
  ValueId TakeRows(Node& fused, NodeId transpose) {
    const ValueId heads = graph_.node(transpose).inputs[0];
    const Shape shape = TypeOf(heads).shape;
    const Shape rows = RowsOf(shape);
    const NodeId reshape = MakerFor(transpose, heads);
    if (!IsReshape(reshape, rows, shape) ||
        !fusing_.MayFuse(graph_, {&fused, &graph_.node(reshape)})) {
      const ValueId exchanged = AddExchanged(graph_.node(transpose).outputs[0], rows);
      BecomeReshape(At(transpose), rows);
      At(transpose).outputs[0] = exchanged;
      return exchanged;
    }
    const ValueId source = graph_.node(reshape).inputs[0];
    fusing_.AbsorbBefore(fused, At(transpose));
    fusing_.AbsorbBefore(fused, At(reshape));
    return source;
  }

  // The same behind the Attention.
  void GiveRows(Node& fused, NodeId transpose) {
    const Shape shape = TypeOf(graph_.node(transpose).outputs[0]).shape;
    const Shape rows = RowsOf(shape);
    const NodeId reshape = ReaderOf(graph_.node(transpose).outputs[0]);
    if (IsReshape(reshape, shape, rows) &&
        fusing_.MayFuse(graph_, {&fused, &graph_.node(reshape)})) {
      fusing_.Absorb(fused, At(transpose));
      fusing_.Absorb(fused, At(reshape));
      return;
    }
    fused.outputs[0] = AddExchanged(fused.outputs[0], rows);
    At(transpose).inputs[0] = fused.outputs[0];
    BecomeReshape(At(transpose), shape);
  }

  Graph& graph_;
  const Fusing& fusing_;
  std::vector<NodeId> producers_;
  std::vector<NodeId> readers_;
};

// True for an Attention that a pass made and whose keys are heads, not rows.
bool IsOfHeads(const Node& node) {
  return node.op == OpKind::kAttention && !node.outputs.empty() && node.fusion.attention &&
         !node.fusion.attention->key_rows;
}

// Reads keys alone as rows where the other operands are heads; removes their Transpose.
void ReadKeyRows(Graph& graph, const Fusing& fusing) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    Node& attention = graph.nodes[static_cast<std::size_t>(n)];
    if (!IsOfHeads(attention)) {
      continue;
    }
    const ValueId k = attention.inputs[kKey];
    const NodeId maker = producers[static_cast<std::size_t>(k)];
    if (maker == kNoNode || readers[static_cast<std::size_t>(k)] != n ||
        attention.inputs[kQuery] == k || attention.inputs[kValue] == k) {
      continue;
    }
    Node& transpose = graph.nodes[static_cast<std::size_t>(maker)];
    if (transpose.op != OpKind::kTranspose ||
        PermutationOf(graph, transpose) != std::vector<std::int64_t>{0, 2, 1, 3} ||
        !fusing.MayFuse(graph, {&attention, &transpose})) {
      continue;
    }
    attention.inputs[kKey] = transpose.inputs[0];
    attention.fusion.attention->key_rows = true;
    fusing.AbsorbBefore(attention, transpose);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace

std::vector<std::int64_t> PermutationOf(const Graph& graph, const Node& transpose) {
  const int rank = graph.value(transpose.inputs[0]).type.shape.rank();
  std::vector<std::int64_t> reversed(static_cast<std::size_t>(rank));
  std::iota(reversed.rbegin(), reversed.rend(), std::int64_t{0});
  return transpose.attributes.Ints("perm", std::move(reversed));
}

void AttendToRows(Graph& graph, const Fusing& fusing) {
  RowFusion fusion(graph, fusing);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    if (IsOfHeads(graph.node(n))) {
      fusion.FuseAt(n);
    }
  }
  RemoveEmptiedNodes(graph);
  ReadKeyRows(graph, fusing);
}

}  // namespace halftone
