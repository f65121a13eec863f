#include "src/ir/network_builder.h"

#include <fmt/format.h>

#include <utility>

#include "src/ir/op_table.h"

namespace halftone {

ValueId NetworkBuilder::Input(const std::string& name, TensorType type) {
  const ValueId id = graph_.AddValue({.name = name, .type = std::move(type), .constant = {}});
  graph_.inputs.push_back(id);
  return id;
}

ValueId NetworkBuilder::Constant(const std::string& name, Tensor tensor) {
  const TensorType type = tensor.type();
  return graph_.AddValue({.name = name, .type = type, .constant = std::move(tensor)});
}

ValueId NetworkBuilder::Number(double value, DType dtype) {
  Tensor tensor(dtype, Shape{});
  StoreDouble(dtype, tensor.mutable_data(), 0, value);
  return Constant(fmt::format("number{}", graph_.values.size()), std::move(tensor));
}

ValueId NetworkBuilder::Random(const std::string& name, Shape shape, double deviation) {
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(deviation * rng_.Normal());
  }
  return Constant(name, std::move(tensor));
}

ValueId NetworkBuilder::Add(OpKind op, std::vector<ValueId> inputs, Attributes attributes,
                            std::string name) {
  ShapeQuery query{.attributes = attributes, .output_count = 1};
  for (const ValueId id : inputs) {
    const Value& value = graph_.value(id);
    query.inputs.push_back(&value.type);
    query.constants.push_back(value.constant ? &*value.constant : nullptr);
  }
  const TensorType type = InfoOf(op).shape_rule(query)[0];
  if (name.empty()) {
    name = fmt::format("node{}", graph_.nodes.size());
  }
  const ValueId output = graph_.AddValue({.name = name + ".y", .type = type, .constant = {}});
  Node node{.op = op, .name = std::move(name), .inputs = std::move(inputs)};
  node.origins = {{node.name, std::string(InfoOf(op).name), node.name}};
  node.attributes = std::move(attributes);
  node.outputs = {output};
  graph_.nodes.push_back(std::move(node));
  return output;
}

ValueId NetworkBuilder::Turn(ValueId x, std::vector<std::int64_t> perm, std::string name) {
  Attributes attributes;
  attributes.Set("perm", std::move(perm));
  return Add(OpKind::kTranspose, {x}, std::move(attributes), std::move(name));
}

ValueId NetworkBuilder::Reshape(ValueId x, const std::vector<std::int64_t>& extents,
                                std::string name) {
  Tensor shape(DType::kInt64, Shape{static_cast<std::int64_t>(extents.size())});
  for (std::size_t i = 0; i < extents.size(); ++i) {
    shape.mutable_values<std::int64_t>()[i] = extents[i];
  }
  const ValueId wanted = Constant(fmt::format("shape{}", graph_.values.size()), std::move(shape));
  return Add(OpKind::kReshape, {x, wanted}, {}, std::move(name));
}

Graph NetworkBuilder::Finish(std::vector<ValueId> outputs) {
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

Attributes AlongLastAxis() {
  Attributes attributes;
  attributes.Set("axis", std::int64_t{-1});
  return attributes;
}

}  // namespace halftone
