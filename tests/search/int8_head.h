// A small network with operators of each kind of form in 8 bits, and scales that fit any network.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "src/ir/graph.h"
#include "src/quantization/schemes.h"
#include "tests/support/graph_builder.h"

namespace halftone::testing {

// conv1 -> conv2 -> act -> pool -> softmax: the last has no form in 8 bits, the pool no float32
// result. `behind`: the operator of act; empty: there is none.
inline Graph Int8Head(std::optional<OpKind> behind = {}) {
  GraphBuilder net;
  const auto weights = [&](const std::string& name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_values<float>()) {
      value = 0.5F;
    }
    return net.Constant(name, std::move(tensor));
  };
  const ValueId x = net.Input("x", {1, 4, 6, 6});
  const ValueId a = net.Add(OpKind::kConv, "conv1", {x, weights("w1", {8, 4, 1, 1})});
  ValueId b = net.Add(OpKind::kConv, "conv2", {a, weights("w2", {8, 8, 3, 3})});
  if (behind) {
    b = net.Add(*behind, "act", {b});
  }
  const ValueId c = net.Add(OpKind::kGlobalAveragePool, "pool", {b});
  return net.Finish({net.Add(OpKind::kSoftmax, "softmax", {c})});
}

// Scales for the range from -4 to 4, for every tensor.
inline SharedQuantization ScalesOf(const Graph& graph) {
  Quantization quantization;
  for (const Value& value : graph.values) {
    if (!value.constant) {
      quantization.activations[value.name] = ActivationScaleOf({-4, 4});
    }
  }
  return SharedQuantization(quantization);
}

}  // namespace halftone::testing
