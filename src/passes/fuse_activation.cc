#include "src/passes/fuse_activation.h"

#include <limits>
#include <optional>

#include "src/passes/sole_reader.h"

namespace halftone {
namespace {

struct Range {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// Empty when a bound is there but not constant, or when the bounds are crossed or NaN: then Clip
// has rules of its own.
std::optional<Range> BoundsOf(const Graph& graph, const Node& clip) {
  Range range;
  for (std::size_t i = 1; i < clip.inputs.size(); ++i) {
    if (clip.inputs[i] == kNoValue) {
      continue;
    }
    const auto& bound = graph.value(clip.inputs[i]).constant;
    if (!bound || bound->ElementCount() != 1) {
      return std::nullopt;
    }
    (i == 1 ? range.low : range.high) =
        static_cast<float>(DoubleAt(bound->dtype(), bound->data(), 0));
  }
  return range.low <= range.high ? std::optional(range) : std::nullopt;
}

bool TakesActivation(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kGemm || op == OpKind::kBatchNormalization;
}

std::optional<Range> RangeOf(const Graph& graph, const Node& node) {
  if (node.op == OpKind::kRelu) {
    return Range{.low = 0};
  }
  return node.op == OpKind::kClip ? BoundsOf(graph, node) : std::nullopt;
}

}  // namespace

void FuseActivation(Graph& graph) {
  const std::vector<NodeId> readers = SoleReadersOf(graph);
  for (Node& main : graph.nodes) {
    const bool takes_one = TakesActivation(main.op) && main.outputs.size() == 1 &&
                           !main.attributes.Has(kActivation) &&
                           IsTunable(graph.value(main.outputs[0]).type.dtype);
    const NodeId reader = takes_one ? readers[static_cast<std::size_t>(main.outputs[0])] : kNoNode;
    if (reader == kNoNode) {
      continue;
    }
    Node& activation = graph.nodes[static_cast<std::size_t>(reader)];
    const auto range =
        activation.inputs[0] == main.outputs[0] ? RangeOf(graph, activation) : std::nullopt;
    if (!range) {
      continue;
    }
    main.attributes.Set(std::string(kActivation), std::string(InfoOf(activation.op).name));
    main.attributes.Set(std::string(kActivationMin), range->low);
    main.attributes.Set(std::string(kActivationMax), range->high);
    Absorb(main, activation);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace halftone
