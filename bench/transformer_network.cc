#include "bench/transformer_network.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "src/base/rng.h"
#include "src/passes/passes.h"

namespace halftone {
namespace {

// Every 32nd channel is so much larger: what makes 16 bits differ from layer to layer.
constexpr std::int64_t kLargeChannels = 32;
constexpr float kLarge = 20;

class Network {
 public:
  Network(const TransformerShape& shape, std::uint64_t seed) : shape_(shape), rng_(seed) {}

  Graph Build() {
    const ValueId x =
        graph_.AddValue({"x", {DType::kFloat32, Shape{shape_.tokens, shape_.width}}, {}});
    graph_.inputs = {x};
    const ValueId normal = Norm("attention/norm", x);
    const ValueId q = Heads("attention/query", normal, {1, 0, 2});
    const ValueId k = Heads("attention/key", normal, {1, 2, 0});
    const ValueId v = Heads("attention/value", normal, {1, 0, 2});
    const Shape scores{shape_.heads, shape_.tokens, shape_.tokens};
    ValueId y = Add(OpKind::kMatMul, "attention/scores", {q, k}, scores);
    const float scale =
        1 / std::sqrt(static_cast<float>(shape_.width) / static_cast<float>(shape_.heads));
    y = Add(OpKind::kMul, "attention/scale", {y, Number("attention/scale/by", scale)}, scores);
    Attributes last;
    last.Set("axis", std::int64_t{-1});
    y = Add(OpKind::kSoftmax, "attention/softmax", {y}, scores, std::move(last));
    y = Add(OpKind::kMatMul, "attention/context", {y, v},
            Shape{shape_.heads, shape_.tokens, shape_.width / shape_.heads});
    y = Turn("attention/turn", y, {1, 0, 2});
    y = Reshape("attention/join", y, Shape{shape_.tokens, shape_.width});
    y = Product("attention/out", y, shape_.width);
    const ValueId middle = Add(OpKind::kAdd, "attention/residual", {y, x}, Rows(shape_.width));
    y = Product("feed/up", Norm("feed/norm", middle), shape_.hidden);
    y = Add(OpKind::kGelu, "feed/gelu", {y}, Rows(shape_.hidden));
    y = Product("feed/down", y, shape_.width);
    graph_.outputs = {Add(OpKind::kAdd, "feed/residual", {y, middle}, Rows(shape_.width))};
    Optimize(graph_, {});
    return std::move(graph_);
  }

 private:
  [[nodiscard]] Shape Rows(std::int64_t width) const { return Shape{shape_.tokens, width}; }

  ValueId Constant(const std::string& name, Tensor tensor) {
    const TensorType type = tensor.type();
    return graph_.AddValue({name, type, std::move(tensor)});
  }

  ValueId Number(const std::string& name, float value) {
    Tensor tensor(DType::kFloat32, Shape{});
    tensor.mutable_values<float>()[0] = value;
    return Constant(name, std::move(tensor));
  }

  ValueId Add(OpKind op, const std::string& name, std::vector<ValueId> inputs, Shape shape,
              Attributes attributes = {}) {
    const ValueId output = graph_.AddValue({name + ".y", {DType::kFloat32, std::move(shape)}, {}});
    graph_.nodes.push_back({.op = op,
                            .name = name,
                            .origins = {{name, std::string(InfoOf(op).name), name}},
                            .attributes = std::move(attributes),
                            .inputs = std::move(inputs),
                            .outputs = {output}});
    return output;
  }

  ValueId Norm(const std::string& name, ValueId x) {
    Tensor scale(DType::kFloat32, Shape{shape_.width});
    Tensor bias(DType::kFloat32, Shape{shape_.width});
    for (std::int64_t i = 0; i < shape_.width; ++i) {
      const auto at = static_cast<std::size_t>(i);
      scale.mutable_values<float>()[at] = i % kLargeChannels == 0 ? kLarge : 1;
      bias.mutable_values<float>()[at] = 0.1F * static_cast<float>(rng_.Normal());
    }
    Attributes last;
    last.Set("axis", std::int64_t{-1});
    return Add(
        OpKind::kLayerNormalization, name,
        {x, Constant(name + "/scale", std::move(scale)), Constant(name + "/bias", std::move(bias))},
        Rows(shape_.width), std::move(last));
  }

  // Rows of any width times random weights.
  ValueId Product(const std::string& name, ValueId x, std::int64_t width) {
    const std::int64_t depth = graph_.value(x).type.shape[1];
    Tensor weights(DType::kFloat32, Shape{depth, width});
    for (float& weight : weights.mutable_values<float>()) {
      weight = static_cast<float>(rng_.Normal() / std::sqrt(static_cast<double>(depth)));
    }
    return Add(OpKind::kMatMul, name, {x, Constant(name + "/weights", std::move(weights))},
               Rows(width));
  }

  ValueId Reshape(const std::string& name, ValueId x, Shape shape) {
    Tensor extents(DType::kInt64, Shape{shape.rank()});
    for (int i = 0; i < shape.rank(); ++i) {
      extents.mutable_values<std::int64_t>()[static_cast<std::size_t>(i)] = shape[i];
    }
    const ValueId wanted = Constant(name + "/shape", std::move(extents));
    return Add(OpKind::kReshape, name, {x, wanted}, std::move(shape));
  }

  ValueId Turn(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    const Shape& from = graph_.value(x).type.shape;
    Shape to{from[static_cast<int>(perm[0])], from[static_cast<int>(perm[1])],
             from[static_cast<int>(perm[2])]};
    Attributes attributes;
    attributes.Set("perm", std::move(perm));
    return Add(OpKind::kTranspose, name, {x}, std::move(to), std::move(attributes));
  }

  // A product, split into heads that are turned by `perm`.
  ValueId Heads(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    const ValueId rows = Product(name, x, shape_.width);
    const Shape split{shape_.tokens, shape_.heads, shape_.width / shape_.heads};
    return Turn(name + "/turn", Reshape(name + "/split", rows, split), std::move(perm));
  }

  TransformerShape shape_;
  Rng rng_;
  Graph graph_;
};

}  // namespace

Graph TransformerBlock(const TransformerShape& shape, std::uint64_t seed) {
  return Network(shape, seed).Build();
}

}  // namespace halftone
