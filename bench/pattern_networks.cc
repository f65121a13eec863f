#include "bench/pattern_networks.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/rng.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

class Network {
 public:
  ValueId Input(const char* name, Shape shape) {
    const ValueId id = graph_.AddValue(
        {.name = name, .type = {DType::kFloat32, std::move(shape)}, .constant = {}});
    graph_.inputs.push_back(id);
    return id;
  }

  ValueId Weights(const char* name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(tensor.dtype(), tensor.mutable_data(), i, rng_.Uniform(-0.1, 0.1));
    }
    const TensorType type = tensor.type();
    return graph_.AddValue({.name = name, .type = type, .constant = std::move(tensor)});
  }

  ValueId Number(double value) {
    Tensor tensor(DType::kFloat32, {});
    StoreDouble(tensor.dtype(), tensor.mutable_data(), 0, value);
    return graph_.AddValue(
        {.name = "number", .type = {DType::kFloat32, {}}, .constant = std::move(tensor)});
  }

  // Each of `length` positions sees itself and what is before it.
  ValueId Causal(std::int64_t length) {
    const TensorType type{DType::kBool, {1, 1, length, length}};
    Tensor tensor(type);
    for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
      StoreDouble(DType::kBool, tensor.mutable_data(), i, i % length <= i / length ? 1 : 0);
    }
    return graph_.AddValue({.name = "causal", .type = type, .constant = std::move(tensor)});
  }

  ValueId Turn(ValueId x, std::vector<std::int64_t> perm) {
    Attributes attributes;
    attributes.Set("perm", std::move(perm));
    return Add(OpKind::kTranspose, {x}, std::move(attributes));
  }

  ValueId Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    ShapeQuery query{.attributes = attributes, .output_count = 1};
    for (const ValueId id : inputs) {
      const Value& value = graph_.value(id);
      query.inputs.push_back(&value.type);
      query.constants.push_back(value.constant ? &*value.constant : nullptr);
    }
    const TensorType type = InfoOf(op).shape_rule(query)[0];
    Node node{
        .op = op, .name = fmt::format("node{}", graph_.nodes.size()), .inputs = std::move(inputs)};
    node.origins = {{node.name, std::string(InfoOf(op).name), node.name}};
    node.attributes = std::move(attributes);
    node.outputs = {graph_.AddValue({.name = node.name + ".y", .type = type, .constant = {}})};
    graph_.nodes.push_back(node);
    return node.outputs[0];
  }

  Graph Finish(ValueId output) {
    graph_.outputs = {output};
    return std::move(graph_);
  }

 private:
  Graph graph_;
  Rng rng_{1};
};

// A layer of `channels` results and a slope of each.
Graph ConvPRelu(Shape image, Shape weights, std::int64_t group) {
  Network net;
  Attributes attributes;
  attributes.Set("group", group);
  const std::int64_t channels = weights[0];
  attributes.Set("pads", std::vector<std::int64_t>(4, weights[2] / 2));
  const ValueId conv =
      net.Add(OpKind::kConv,
              {net.Input("x", std::move(image)), net.Weights("w", std::move(weights))}, attributes);
  return net.Finish(net.Add(OpKind::kPRelu, {conv, net.Weights("slope", {channels, 1, 1})}));
}

// Causal attention as GPT-2 has it: Where, then the mask of padding.
Graph MaskedAttention(std::int64_t heads, std::int64_t length, std::int64_t size) {
  Network net;
  const Shape shape{1, heads, length, size};
  const ValueId q = net.Input("q", shape);
  const ValueId k = net.Turn(net.Input("k", shape), {0, 1, 3, 2});
  const ValueId scores = net.Add(OpKind::kDiv, {net.Add(OpKind::kMatMul, {q, k}), net.Number(8)});
  const ValueId kept = net.Add(OpKind::kWhere, {net.Causal(length), scores, net.Number(-1e4)});
  const ValueId sum = net.Add(OpKind::kAdd, {kept, net.Input("padding", {1, 1, 1, length})});
  Attributes last;
  last.Set("axis", std::int64_t{-1});
  const ValueId weights = net.Add(OpKind::kSoftmax, {sum}, std::move(last));
  return net.Finish(net.Add(OpKind::kMatMul, {weights, net.Input("v", shape)}));
}

// Scores q k^T that leave the network, of keys in rows [1, length, heads * size].
Graph Scores(std::int64_t heads, std::int64_t queries, std::int64_t length, std::int64_t size) {
  Network net;
  const ValueId q = net.Input("q", {1, heads, queries, size});
  const ValueId k = net.Turn(net.Input("k", {1, length, heads, size}), {0, 2, 3, 1});
  return net.Finish(net.Add(OpKind::kMatMul, {q, k}));
}

// Attention whose keys alone are rows, as behind a cache of values or an embedding of q.
Graph KeyRows(std::int64_t heads, std::int64_t queries, std::int64_t length, std::int64_t size) {
  Network net;
  const ValueId q = net.Input("q", {1, heads, queries, size});
  const ValueId k = net.Turn(net.Input("k", {1, length, heads, size}), {0, 2, 3, 1});
  Attributes last;
  last.Set("axis", std::int64_t{-1});
  const ValueId weights =
      net.Add(OpKind::kSoftmax, {net.Add(OpKind::kMatMul, {q, k})}, std::move(last));
  return net.Finish(net.Add(OpKind::kMatMul, {weights, net.Input("v", {1, heads, length, size})}));
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
