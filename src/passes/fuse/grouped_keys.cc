#include "src/passes/fuse/grouped_keys.h"

#include <array>
#include <optional>
#include <vector>

#include "kernels/attention/attention.h"
#include "src/passes/pattern/single_use_values.h"

namespace halftone {
namespace {

class GroupedKeys {
 public:
  GroupedKeys(Graph& graph, const Fusing& fusing)
      : graph_(graph),
        fusing_(fusing),
        producers_(ProducersOf(graph)),
        readers_(SingleUseReadersOf(graph)) {}

  void FuseAt(NodeId n) {
    const auto keys = RepetitionOf(n, kKey);
    const auto values = RepetitionOf(n, kValue);
    if (!keys || !values || HeadsOf(keys->source) != HeadsOf(values->source)) {
      return;
    }
    std::vector<NodeId> nodes = {n};
    for (const auto* repetition : {&*keys, &*values}) {
      nodes.insert(nodes.end(), repetition->nodes.begin(), repetition->nodes.end());
    }
    if (!fusing_.MayFuse(graph_, nodes)) {
      return;
    }
    Node fused = graph_.node(n);
    fused.inputs[kKey] = keys->source;
    fused.inputs[kValue] = values->source;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      fusing_.AbsorbBefore(fused, graph_.nodes[static_cast<std::size_t>(nodes[i])]);
    }
    graph_.nodes[static_cast<std::size_t>(n)] = std::move(fused);
  }

 private:
  struct Repetition {
    std::array<NodeId, 3> nodes;  // Unsqueeze, Expand, Reshape
    ValueId source = kNoValue;
  };

  [[nodiscard]] const Shape& ShapeOf(ValueId id) const { return graph_.value(id).type.shape; }

  [[nodiscard]] std::int64_t HeadsOf(ValueId id) const { return ShapeOf(id)[1]; }

  // The node of operator `op` or `other` that makes the value for `reader` alone; kNoNode when
  // there is none.
  [[nodiscard]] NodeId MakerFor(NodeId reader, ValueId value, OpKind op, OpKind other) const {
    const NodeId maker = producers_[static_cast<std::size_t>(value)];
    return maker != kNoNode && readers_[static_cast<std::size_t>(value)] == reader &&
                   (graph_.node(maker).op == op || graph_.node(maker).op == other)
               ? maker
               : kNoNode;
  }

  [[nodiscard]] std::optional<Repetition> RepetitionOf(NodeId attention, std::size_t input) const {
    const ValueId heads = graph_.node(attention).inputs[input];
    const NodeId reshape = MakerFor(attention, heads, OpKind::kReshape, OpKind::kReshape);
    if (reshape == kNoNode || ShapeOf(heads).rank() != 4) {
      return std::nullopt;
    }
    const ValueId repeated = graph_.node(reshape).inputs[0];
    const NodeId expand = MakerFor(reshape, repeated, OpKind::kExpand, OpKind::kExpand);
    if (expand == kNoNode) {
      return std::nullopt;
    }
    const ValueId once = graph_.node(expand).inputs[0];
    const NodeId unsqueeze = MakerFor(expand, once, OpKind::kUnsqueeze, OpKind::kReshape);
    if (unsqueeze == kNoNode) {
      return std::nullopt;
    }
    const ValueId source = graph_.node(unsqueeze).inputs[0];
    const Shape& x = ShapeOf(source);
    const Shape& whole = ShapeOf(repeated);
    if (x.rank() != 4 || whole.rank() != 5) {
      return std::nullopt;
    }
    const bool repeats = ShapeOf(once) == Shape{x[0], x[1], 1, x[2], x[3]} &&
                         whole == Shape{x[0], x[1], whole[2], x[2], x[3]} &&
                         ShapeOf(heads) == Shape{x[0], x[1] * whole[2], x[2], x[3]};
    return repeats ? std::optional(Repetition{{unsqueeze, expand, reshape}, source}) : std::nullopt;
  }

  Graph& graph_;
  const Fusing& fusing_;
  std::vector<NodeId> producers_;
  std::vector<NodeId> readers_;
};

}  // namespace

void ShareGroupedKeys(Graph& graph, const Fusing& fusing) {
  GroupedKeys keys(graph, fusing);
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    const Node& node = graph.node(n);
    if (node.op == OpKind::kAttention && !node.outputs.empty() && node.fusion.attention &&
        !node.fusion.attention->key_rows) {
      keys.FuseAt(n);
    }
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
