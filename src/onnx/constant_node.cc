#include "src/onnx/constant_node.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {

Tensor ConstantNodeValue(const Attributes& attributes) {
  if (attributes.values().size() != 1) {
    throw Error(ErrorKind::kModel, fmt::format("expected 1 attribute that holds the value, got {}",
                                               attributes.values().size()));
  }
  const std::string& name = attributes.values().begin()->first;
  if (name == "value") {
    return *attributes.TensorOrNull(name);
  }
  if (name == "value_float") {
    const float value = attributes.Float(name, 0);
    return Tensor::From<float>({}, {&value, 1});
  }
  if (name == "value_floats") {
    const std::vector<float> values = attributes.Floats(name);
    return Tensor::From<float>({static_cast<std::int64_t>(values.size())}, values);
  }
  if (name == "value_int") {
    const std::int64_t value = attributes.Int(name, 0);
    return Tensor::From<std::int64_t>({}, {&value, 1});
  }
  if (name == "value_ints") {
    const std::vector<std::int64_t> values = attributes.Ints(name);
    return Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("attribute '{}': expected value, value_float(s) or value_int(s)", name));
}

}  // namespace halftone
