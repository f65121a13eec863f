#include "labs/search_quality/transformer_network.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "src/ir/network_builder.h"
#include "src/passes/passes.h"

namespace halftone {
namespace {

// Every 32nd channel is so much larger: what makes 16 bits differ from layer to layer.
constexpr std::int64_t kLargeChannels = 32;
constexpr float kLarge = 20;

class Block {
 public:
  Block(const TransformerShape& shape, std::uint64_t seed) : shape_(shape), net_(seed) {}

  Graph Build() {
    const ValueId x = net_.Input("x", {DType::kFloat32, Shape{shape_.tokens, shape_.width}});
    const ValueId middle =
        net_.Add(OpKind::kAdd, {Attention(Norm("attention/norm", x)), x}, {}, "attention/residual");
    ValueId y = Product("feed/up", Norm("feed/norm", middle), shape_.hidden);
    y = net_.Add(OpKind::kGelu, {y}, {}, "feed/gelu");
    y = Product("feed/down", y, shape_.width);
    Graph graph = net_.Finish({net_.Add(OpKind::kAdd, {y, middle}, {}, "feed/residual")});
    Canonicalize(graph);
    return graph;
  }

 private:
  ValueId Norm(const std::string& name, ValueId x) {
    Tensor scale(DType::kFloat32, Shape{shape_.width});
    for (std::int64_t i = 0; i < shape_.width; ++i) {
      scale.mutable_values<float>()[static_cast<std::size_t>(i)] =
          i % kLargeChannels == 0 ? kLarge : 1;
    }
    return net_.Add(OpKind::kLayerNormalization,
                    {x, net_.Constant(name + "/scale", std::move(scale)),
                     net_.Random(name + "/bias", Shape{shape_.width}, 0.1)},
                    AlongLastAxis(), name);
  }

  // Rows of any width times random weights.
  ValueId Product(const std::string& name, ValueId x, std::int64_t width) {
    const std::int64_t depth = net_.ShapeOf(x)[1];
    const ValueId weights = net_.Random(name + "/weights", Shape{depth, width},
                                        1 / std::sqrt(static_cast<double>(depth)));
    return net_.Add(OpKind::kMatMul, {x, weights}, {}, name);
  }

  // A product, split into heads that are turned by `perm`.
  ValueId Heads(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    const ValueId rows = Product(name, x, shape_.width);
    const ValueId split = net_.Reshape(
        rows, {shape_.tokens, shape_.heads, shape_.width / shape_.heads}, name + "/split");
    return net_.Turn(split, std::move(perm), name + "/turn");
  }

  ValueId Attention(ValueId x) {
    const ValueId q = Heads("attention/query", x, {1, 0, 2});
    const ValueId k = Heads("attention/key", x, {1, 2, 0});
    const ValueId v = Heads("attention/value", x, {1, 0, 2});
    ValueId y = net_.Add(OpKind::kMatMul, {q, k}, {}, "attention/scores");
    const double size = static_cast<double>(shape_.width) / static_cast<double>(shape_.heads);
    y = net_.Add(OpKind::kMul, {y, net_.Number(1 / std::sqrt(size))}, {}, "attention/scale");
    y = net_.Add(OpKind::kSoftmax, {y}, AlongLastAxis(), "attention/softmax");
    y = net_.Add(OpKind::kMatMul, {y, v}, {}, "attention/context");
    y = net_.Turn(y, {1, 0, 2}, "attention/turn");
    y = net_.Reshape(y, {shape_.tokens, shape_.width}, "attention/join");
    return Product("attention/out", y, shape_.width);
  }

  TransformerShape shape_;
  NetworkBuilder net_;
};

}  // namespace

Graph TransformerBlock(const TransformerShape& shape, std::uint64_t seed) {
  return Block(shape, seed).Build();
}

}  // namespace halftone
