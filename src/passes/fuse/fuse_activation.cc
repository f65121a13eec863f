#include "src/passes/fuse/fuse_activation.h"

#include <limits>
#include <optional>
#include <utility>

#include "kernels/tile/epilogue.h"
#include "src/passes/pattern/single_use_values.h"

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

std::optional<Range> RangeOf(const Graph& graph, const Node& node) {
  if (node.op == OpKind::kRelu) {
    return Range{.low = 0};
  }
  return node.op == OpKind::kClip ? BoundsOf(graph, node) : std::nullopt;
}

// The activation as the operator takes it; empty for what it does not take.
using Fused = std::optional<StepActivation> (*)(const Graph& graph, const Node& main,
                                                const Node& activation);

std::optional<StepActivation> AsRange(const Graph& graph, const Node& /*main*/,
                                      const Node& activation) {
  const auto range = RangeOf(graph, activation);
  if (!range) {
    return std::nullopt;
  }
  return StepActivation{.op = activation.op, .low = range->low, .high = range->high};
}

// One filter a channel: the rows of such a convolution are too short to hide what a function waits
// for (EfficientNet-B0 in float16: 1.02 of the time, single layers 1.3; Zen 4).
bool IsDepthwise(const Graph& graph, const Node& node) {
  return node.op == OpKind::kConv && graph.value(node.inputs[1]).type.shape[1] == 1;
}

// True if `own` has one element, or all elements along `axis` of `shape` and one along its other
// axes.
bool IsAlong(const Shape& own, const Shape& shape, int axis) {
  const int back = shape.rank() - axis;
  return own.rank() <= shape.rank() &&
         (own.ElementCount() == 1 || (own.rank() >= back && own[own.rank() - back] == shape[axis] &&
                                      own.ElementCount() == shape[axis]));
}

// The axis of the result that a slope may go along: channels of a Conv, columns of a product.
int ChannelAxis(const Graph& graph, const Node& main) {
  return main.op == OpKind::kConv ? 1 : graph.value(main.outputs[0]).type.shape.rank() - 1;
}

std::optional<StepActivation> AsSlopes(const Graph& graph, const Node& main, const Node& prelu) {
  const Shape& shape = graph.value(main.outputs[0]).type.shape;
  const auto& slopes = graph.value(prelu.inputs[1]).constant;
  const int axis = ChannelAxis(graph, main);
  // The product with a vector has no columns.
  const bool columns =
      main.op == OpKind::kConv || graph.value(main.inputs[1]).type.shape.rank() > 1;
  if (!slopes || axis < 0 || !IsAlong(slopes->shape(), shape, axis) ||
      (!columns && slopes->ElementCount() != 1)) {
    return std::nullopt;
  }
  StepActivation fused{.op = prelu.op};
  for (const double slope : DoublesOf(*slopes)) {
    fused.slopes.push_back(static_cast<float>(slope));
  }
  return fused;
}

std::optional<StepActivation> AsFunction(const Graph& graph, const Node& main,
                                         const Node& activation) {
  if (main.op == OpKind::kBatchNormalization) {
    return std::nullopt;
  }
  if (activation.op == OpKind::kPRelu) {
    return AsSlopes(graph, main, activation);
  }
  if (!IsFusedFunction(activation.op) || IsDepthwise(graph, main)) {
    return std::nullopt;
  }
  StepActivation fused{.op = activation.op};
  const Attributes& attributes = activation.attributes;
  if (attributes.Has("alpha")) {
    fused.alpha = attributes.Float("alpha", 0);
  }
  if (attributes.Has("beta")) {
    fused.beta = attributes.Float("beta", 0);
  }
  if (attributes.Has("approximate")) {
    fused.approximate = attributes.Text("approximate", "");
  }
  return fused;
}

bool TakesActivation(const Graph& graph, const Node& node) {
  const bool takes_one = node.op == OpKind::kConv || node.op == OpKind::kGemm ||
                         node.op == OpKind::kMatMul || node.op == OpKind::kBatchNormalization;
  return takes_one && node.outputs.size() == 1 && !node.fusion.activation &&
         IsTunable(graph.value(node.outputs[0]).type.dtype);
}

void Fuse(Graph& graph, Fused fused, const Fusing& fusing) {
  const std::vector<NodeId> readers = SingleUseReadersOf(graph);
  for (Node& main : graph.nodes) {
    const NodeId reader =
        TakesActivation(graph, main) ? readers[static_cast<std::size_t>(main.outputs[0])] : kNoNode;
    if (reader == kNoNode) {
      continue;
    }
    Node& activation = graph.nodes[static_cast<std::size_t>(reader)];
    auto taken =
        activation.inputs[0] == main.outputs[0] ? fused(graph, main, activation) : std::nullopt;
    if (!taken || !fusing.MayFuse(graph, {&main, &activation})) {
      continue;
    }
    main.fusion.activation = std::move(taken);
    fusing.Absorb(main, activation);
  }
  RemoveEmptiedNodes(graph);
}

}  // namespace

void FuseActivation(Graph& graph, const Fusing& fusing) {
  Fuse(graph, AsRange, fusing);
}

void FuseActivationFunction(Graph& graph, const Fusing& fusing) {
  Fuse(graph, AsFunction, fusing);
}

}  // namespace halftone
