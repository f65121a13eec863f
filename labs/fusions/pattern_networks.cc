#include "labs/fusions/pattern_networks.h"

#include <utility>

#include "src/ir/network_builder.h"

namespace halftone {
namespace {

constexpr double kDeviation = 0.05;

TensorType Floats(Shape shape) {
  return {DType::kFloat32, std::move(shape)};
}

// Each of `length` positions sees itself and what is before it.
Tensor Causal(std::int64_t length) {
  Tensor tensor(DType::kBool, Shape{1, 1, length, length});
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    StoreDouble(DType::kBool, tensor.mutable_data(), i, i % length <= i / length ? 1 : 0);
  }
  return tensor;
}

// A layer of `channels` results and a slope of each.
Graph ConvPRelu(Shape image, Shape weights, std::int64_t group) {
  NetworkBuilder net;
  Attributes attributes;
  attributes.Set("group", group);
  const std::int64_t channels = weights[0];
  attributes.Set("pads", std::vector<std::int64_t>(4, weights[2] / 2));
  const ValueId conv = net.Add(
      OpKind::kConv,
      {net.Input("x", Floats(std::move(image))), net.Random("w", std::move(weights), kDeviation)},
      attributes);
  return net.Finish(
      {net.Add(OpKind::kPRelu, {conv, net.Random("slope", {channels, 1, 1}, kDeviation)})});
}

// Causal attention as GPT-2 has it: Where, then the mask of padding.
Graph MaskedAttention(std::int64_t heads, std::int64_t length, std::int64_t size) {
  NetworkBuilder net;
  const Shape shape{1, heads, length, size};
  const ValueId q = net.Input("q", Floats(shape));
  const ValueId k = net.Turn(net.Input("k", Floats(shape)), {0, 1, 3, 2});
  const ValueId scores = net.Add(OpKind::kDiv, {net.Add(OpKind::kMatMul, {q, k}), net.Number(8)});
  const ValueId kept =
      net.Add(OpKind::kWhere, {net.Constant("causal", Causal(length)), scores, net.Number(-1e4)});
  const ValueId sum =
      net.Add(OpKind::kAdd, {kept, net.Input("padding", Floats({1, 1, 1, length}))});
  const ValueId weights = net.Add(OpKind::kSoftmax, {sum}, AlongLastAxis());
  return net.Finish({net.Add(OpKind::kMatMul, {weights, net.Input("v", Floats(shape))})});
}

// Scores q k^T that leave the network, of keys in rows [1, length, heads * size].
Graph Scores(std::int64_t heads, std::int64_t queries, std::int64_t length, std::int64_t size) {
  NetworkBuilder net;
  const ValueId q = net.Input("q", Floats({1, heads, queries, size}));
  const ValueId k = net.Turn(net.Input("k", Floats({1, length, heads, size})), {0, 2, 3, 1});
  return net.Finish({net.Add(OpKind::kMatMul, {q, k})});
}

// Attention whose keys alone are rows, as behind a cache of values or an embedding of q.
Graph KeyRows(std::int64_t heads, std::int64_t queries, std::int64_t length, std::int64_t size) {
  NetworkBuilder net;
  const ValueId q = net.Input("q", Floats({1, heads, queries, size}));
  const ValueId k = net.Turn(net.Input("k", Floats({1, length, heads, size})), {0, 2, 3, 1});
  const ValueId weights =
      net.Add(OpKind::kSoftmax, {net.Add(OpKind::kMatMul, {q, k})}, AlongLastAxis());
  return net.Finish(
      {net.Add(OpKind::kMatMul, {weights, net.Input("v", Floats({1, heads, length, size}))})});
}

}  // namespace

std::vector<GeneratedNetwork> PatternNetworks() {
  std::vector<GeneratedNetwork> networks;
  networks.push_back(
      {"Conv 3x3 and PRelu, 32x56x56", ConvPRelu({1, 32, 56, 56}, {32, 32, 3, 3}, 1)});
  networks.push_back(
      {"Conv 1x1 and PRelu, 64x56x56", ConvPRelu({1, 64, 56, 56}, {64, 64, 1, 1}, 1)});
  networks.push_back(
      {"depthwise Conv and PRelu, 64x56x56", ConvPRelu({1, 64, 56, 56}, {64, 1, 3, 3}, 64)});
  networks.push_back({"GPT-2 attention, 12 heads 128x64", MaskedAttention(12, 128, 64)});
  networks.push_back({"GPT-2 attention, 12 heads 512x64", MaskedAttention(12, 512, 64)});
  networks.push_back({"scores of 12 heads, 1x512x64", Scores(12, 1, 512, 64)});
  networks.push_back({"scores of 12 heads, 128x128x64", Scores(12, 128, 128, 64)});
  networks.push_back({"attention of key rows, 12 heads 1x512x64", KeyRows(12, 1, 512, 64)});
  networks.push_back({"attention of key rows, 12 heads 128x128x64", KeyRows(12, 128, 128, 64)});
  return networks;
}

}  // namespace halftone
