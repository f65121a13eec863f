#include "src/onnx/node_parts.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {

ValueId NodeParts::Input(std::size_t index) const {
  const ValueId id = InputOr(node_, index);
  if (id == kNoValue) {
    throw Error(ErrorKind::kModel, fmt::format("input {} is left out but not optional", index));
  }
  return id;
}

ValueId NodeParts::Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes) {
  Node helper = HelperNode(node_, builder_, op, ++count_);
  helper.inputs = std::move(inputs);
  helper.attributes = std::move(attributes);
  return builder_.AddHelperNode(std::move(helper));
}

ValueId NodeParts::AddTo(ValueId x, ValueId other) {
  return other == kNoValue ? x : Add(OpKind::kAdd, {x, other});
}

ValueId NodeParts::CastTo(ValueId x, DType dtype) {
  if (TypeOf(x).dtype == dtype) {
    return x;
  }
  Attributes to;
  to.Set("to", std::int64_t{RowOf(dtype).onnx_type});
  return Add(OpKind::kCast, {x}, std::move(to));
}

ValueId NodeParts::Integers(const std::vector<std::int64_t>& values) {
  return Constant(Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

ValueId NodeParts::Scalar(DType dtype, double value) {
  Tensor scalar(dtype, Shape{});
  StoreDouble(dtype, scalar.mutable_data(), 0, value);
  return Constant(std::move(scalar));
}

ValueId NodeParts::Constant(Tensor tensor) {
  return builder_.AddHelperConstant(std::move(tensor), node_.name + "/constant");
}

std::int64_t NodeParts::TakeInt(std::string_view name, std::int64_t fallback) {
  const std::int64_t value = node_.attributes.Int(name, fallback);
  node_.attributes.Erase(name);
  return value;
}

float NodeParts::TakeFloat(std::string_view name, float fallback) {
  const float value = node_.attributes.Float(name, fallback);
  node_.attributes.Erase(name);
  return value;
}

std::string NodeParts::TakeText(std::string_view name, std::string_view fallback) {
  std::string value = node_.attributes.Text(name, fallback);
  node_.attributes.Erase(name);
  return value;
}

void NodeParts::Become(std::string_view type, std::vector<ValueId> inputs) {
  node_.type = std::string(type);
  node_.inputs = std::move(inputs);
}

}  // namespace halftone
