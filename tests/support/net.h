// Small networks for tests of passes, and text to compare them by.
#pragma once

#include <string>
#include <utility>

#include "src/base/hash.h"
#include "src/base/rng.h"
#include "tests/support/evaluate.h"
#include "tests/support/graph_builder.h"

namespace halftone::testing {

// "Conv[conv1+bn1] Relu[relu1]": the nodes with the names they carry.
inline std::string NodesOf(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += (text.empty() ? "" : " ") + std::string(InfoOf(node.op).name) + "[";
    for (std::size_t i = 0; i < node.origins.size(); ++i) {
      text += (i == 0 ? "" : "+") + node.origins[i].name;
    }
    text += "]";
  }
  return text;
}

inline Attributes With(const std::string& name, Attribute value) {
  Attributes attributes;
  attributes.Set(name, std::move(value));
  return attributes;
}

// Builder that adds weights and parameters whose values depend only on their name.
class Net : public GraphBuilder {
 public:
  ValueId Weights(const std::string& name, Shape shape, double low = -1, double high = 1,
                  DType dtype = DType::kFloat32) {
    Rng rng(Hasher().Add(name).Finish().low);
    return Constant(name, RandomTensor({dtype, std::move(shape)}, rng, low, high));
  }

  ValueId Conv(const std::string& name, ValueId x, std::int64_t channels) {
    return Add(OpKind::kConv, name, {x, Weights(name + ".w", {channels, 4, 1, 1})});
  }

  ValueId BatchNorm(const std::string& name, ValueId x, std::int64_t channels) {
    return Add(OpKind::kBatchNormalization, name,
               {x, Weights(name + ".scale", {channels}), Weights(name + ".bias", {channels}),
                Weights(name + ".mean", {channels}), Weights(name + ".var", {channels}, 0.1, 2)});
  }

  ValueId Image() { return Input("x", {2, 4, 3, 5}); }

  // A constant of one element, rounded to the dtype.
  ValueId Number(double value, DType dtype = DType::kFloat32, Shape shape = {}) {
    Tensor tensor(dtype, std::move(shape));
    StoreDouble(dtype, tensor.mutable_data(), 0, value);
    return Constant("number" + std::to_string(numbers_++), std::move(tensor));
  }

 private:
  int numbers_ = 0;
};

}  // namespace halftone::testing
