#include "src/exec/channel_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/ir/op_table.h"
#include "src/quantization/quantize.h"

namespace halftone {
namespace {

constexpr OpKind kKeepChannels[] = {
    OpKind::kMaxPool,
    OpKind::kAveragePool,
    OpKind::kGlobalAveragePool,
    // f(a x) = a f(x)
    OpKind::kRelu,
    OpKind::kLeakyRelu,
    OpKind::kPRelu,
};

std::int64_t CountBefore(const Shape& shape, int axis) {
  return shape.ElementCount(0, axis);
}

// The axis of `to`, a reshaped `from`, with as many indices as `axis` has and as many elements in
// front of it.
std::optional<int> AxisOfView(const Shape& from, const Shape& to, int axis) {
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == from[axis] && CountBefore(to, i) == CountBefore(from, axis)) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<int> AxisOfTranspose(const Node& node, int rank, int axis) {
  const std::vector<std::int64_t> perm = node.attributes.Ints("perm");
  if (perm.empty()) {
    return rank - 1 - axis;
  }
  const auto found = std::ranges::find(perm, axis);
  return found == perm.end() ? std::nullopt : std::optional(static_cast<int>(found - perm.begin()));
}

}  // namespace

const ChannelFactors* FactorsOf(const Graph& graph, ValueId value,
                                const Quantization& quantization) {
  const Value& of = graph.value(value);
  const auto found = quantization.channel_factors.find(of.name);
  if (found == quantization.channel_factors.end() || of.constant) {
    return nullptr;
  }
  const ChannelFactors& factors = found->second;
  const Shape& shape = of.type.shape;
  if (factors.axis < 0 || factors.axis >= shape.rank() ||
      shape[factors.axis] != std::ssize(factors.factors)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the quantisation gives {} factors along axis {} to tensor '{}' of "
                            "shape {}; expected one for each index of one of its axes",
                            factors.factors.size(), factors.axis, of.name, shape.ToString()));
  }
  return &factors;
}

std::optional<int> KeptChannelAxis(const Graph& graph, const Node& node, int axis) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue || node.outputs.empty() ||
      node.outputs[0] == kNoValue) {
    return std::nullopt;
  }
  const Shape& from = graph.value(node.inputs[0]).type.shape;
  const Shape& to = graph.value(node.outputs[0]).type.shape;
  if (InfoOf(node.op).Is(kIsView)) {
    return AxisOfView(from, to, axis);
  }
  if (node.op == OpKind::kTranspose) {
    return AxisOfTranspose(node, from.rank(), axis);
  }
  const bool pools = node.op == OpKind::kMaxPool || node.op == OpKind::kAveragePool ||
                     node.op == OpKind::kGlobalAveragePool;
  const bool kept = std::ranges::find(kKeepChannels, node.op) != std::end(kKeepChannels);
  return kept && (!pools || axis == 1) ? std::optional(axis) : std::nullopt;
}

bool KeepsFactors(const Graph& graph, const Node& node, const Quantization& quantization) {
  const ChannelFactors* from = FactorsOf(graph, node.inputs.at(0), quantization);
  const ChannelFactors* to = FactorsOf(graph, node.outputs.at(0), quantization);
  return from != nullptr && to != nullptr && from->factors == to->factors &&
         KeptChannelAxis(graph, node, from->axis) == to->axis;
}

std::optional<int> ReadChannelAxis(const Graph& graph, const Node& node) {
  const bool matrix = node.op == OpKind::kGemm || node.op == OpKind::kMatMul;
  if ((!matrix && node.op != OpKind::kConv) || !graph.value(node.inputs.at(1)).constant) {
    return std::nullopt;
  }
  if (!matrix) {
    return 1;
  }
  const int rank = graph.value(node.inputs[0]).type.shape.rank();
  return rank < 2 || graph.value(node.inputs[1]).type.shape.rank() != 2 ||
                 node.attributes.Int("transA", 0) != 0
             ? std::nullopt
             : std::optional(rank - 1);
}

std::optional<int> MadeChannelAxis(const Graph& graph, const Node& node) {
  if (!ReadChannelAxis(graph, node)) {
    return std::nullopt;
  }
  return node.op == OpKind::kConv ? 1 : graph.value(node.outputs.at(0)).type.shape.rank() - 1;
}

std::optional<std::optional<StepActivation>> WithoutIdleBounds(
    const std::optional<StepActivation>& activation, const ActivationScale& scale,
    const ChannelFactors& factors) {
  if (!activation || activation->op == OpKind::kRelu) {
    return activation;
  }
  if (activation->op != OpKind::kClip) {
    return std::nullopt;
  }
  const std::vector<float> scales = ScalesOfChannels(scale, factors);
  const float least = *std::ranges::min_element(scales);
  const float most = *std::ranges::max_element(scales);
  // Steps from 0 to half a step inside the ends: a bound there, or beyond, rounds to the end.
  const double to_high = 254.5 - scale.zero_point;
  const double to_low = 0.5 - scale.zero_point;
  if (static_cast<double>(activation->high) <
      to_high * static_cast<double>(to_high > 0 ? most : least)) {
    return std::nullopt;
  }
  if (activation->low == 0) {
    return std::optional(StepActivation{.op = OpKind::kRelu});
  }
  if (static_cast<double>(activation->low) >
      to_low * static_cast<double>(to_low > 0 ? least : most)) {
    return std::nullopt;
  }
  return std::make_optional(std::optional<StepActivation>());
}

}  // namespace halftone
