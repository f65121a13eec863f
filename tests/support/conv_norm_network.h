// A convolution followed by BatchNormalization and Relu, which a device may join.
#pragma once

#include <string>

#include "tests/support/graph_builder.h"

namespace halftone::testing {

// Nodes "conv", "bn" and "relu". `read_twice`: the result of conv is also an output.
inline Graph ConvNormRelu(bool read_twice = false) {
  GraphBuilder net;
  const auto ones = [&](const std::string& name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_values<float>()) {
      value = 1;
    }
    return net.Constant(name, std::move(tensor));
  };
  const ValueId x = net.Input("x", {1, 4, 3, 3});
  const ValueId conv = net.Add(OpKind::kConv, "conv", {x, ones("w", {4, 4, 1, 1})});
  const ValueId norm =
      net.Add(OpKind::kBatchNormalization, "bn",
              {conv, ones("scale", {4}), ones("bias", {4}), ones("mean", {4}), ones("var", {4})});
  const ValueId relu = net.Add(OpKind::kRelu, "relu", {norm});
  return net.Finish(read_twice ? std::vector<ValueId>{relu, conv} : std::vector<ValueId>{relu});
}

}  // namespace halftone::testing
