#include "src/exec/rounded_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "src/base/error.h"
#include "src/exec/given_weight_scales.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

constexpr std::size_t kWeights = 1;  // operand of products

// Integers of a tensor: q from `least` to `least` + 65535 stands for scale * (q - zero point).
struct Grid {
  WeightScales scales;
  std::int32_t least = 0;
  int axis = 0;  // of the channels, where there are several scales
};

bool IsProduct(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvTranspose || op == OpKind::kGemm ||
         op == OpKind::kMatMul;
}

// Axis of the weights along which the results of a product lie.
int ResultAxis(const Node& node, const Shape& weights) {
  switch (node.op) {
    case OpKind::kConv:
      return 0;
    case OpKind::kConvTranspose:
      return 1;
    case OpKind::kGemm:
      return node.attributes.Int("transB", 0) != 0 ? 0 : 1;
    default:
      return weights.rank() - 1;
  }
}

std::optional<Grid> GridOf(const Graph& graph, const Node& node, std::size_t input,
                           const Quantization& quantization) {
  constexpr std::int32_t kLeastInt16 = -32768;
  const ValueId id = node.inputs[input];
  const Value& value = graph.value(id);
  if (IsProduct(node.op) && input == kWeights) {
    const int axis = ResultAxis(node, value.type.shape);
    auto scales = GivenWeightScales(graph, id, axis, quantization);
    return scales ? std::optional(Grid{std::move(*scales), kLeastInt16, axis}) : std::nullopt;
  }
  const auto scale = quantization.activations.find(value.name);
  if ((IsProduct(node.op) && input == kBiasOperand) || scale == quantization.activations.end()) {
    return std::nullopt;
  }
  return Grid{.scales = {{scale->second.scale}, {scale->second.zero_point}}};
}

}  // namespace

Tensor RoundedConstant(const Graph& graph, const Node& node, std::size_t input,
                       const Quantization& quantization) {
  constexpr float kMostAbove = 65535;
  Tensor floats = Convert(*graph.value(node.inputs[input]).constant, DType::kFloat32);
  const std::optional<Grid> grid = GridOf(graph, node, input, quantization);
  if (!grid) {
    return floats;
  }
  const Shape& shape = floats.shape();
  const auto channels = std::ssize(grid->scales.scales);
  if (channels != 1 && channels != shape[grid->axis]) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the quantisation gives {} scales to weights of {} channels; expected "
                            "one, or one a channel",
                            channels, shape[grid->axis]));
  }
  const std::int64_t inner = channels == 1 ? 1 : shape.ElementCount(grid->axis + 1, shape.rank());
  Tensor rounded(DType::kFloat32, shape);
  const auto from = floats.values<float>();
  const auto to = rounded.mutable_values<float>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto c = static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner % channels);
    const float scale = grid->scales.scales[c];
    const std::int32_t zero = grid->scales.zero_points.empty() ? 0 : grid->scales.zero_points[c];
    const auto least = static_cast<float>(grid->least - zero);
    to[i] = std::isfinite(from[i])
                ? scale * std::clamp(std::nearbyint(from[i] / scale), least, least + kMostAbove)
                : from[i];
  }
  return rounded;
}

}  // namespace halftone
