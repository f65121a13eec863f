#include "tests/support/graph_builder.h"

namespace halftone::testing {

ValueId GraphBuilder::Input(std::string name, Shape shape, DType dtype) {
  const ValueId id = graph_.AddValue({.name = std::move(name), .type = {dtype, std::move(shape)}});
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::Constant(std::string name, Tensor tensor) {
  const TensorType type = tensor.type();
  return graph_.AddValue({.name = std::move(name), .type = type, .constant = std::move(tensor)});
}

ValueId GraphBuilder::Integers(std::string name, const std::vector<std::int64_t>& values) {
  return Constant(std::move(name),
                  Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

ValueId GraphBuilder::Add(OpKind op, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes, int outputs, const Fusion& fusion) {
  const OpInfo& info = InfoOf(op);
  ShapeQuery query{.attributes = attributes, .output_count = outputs, .fusion = fusion};
  for (const ValueId id : inputs) {
    query.inputs.push_back(id == kNoValue ? nullptr : &graph_.value(id).type);
    query.constants.push_back(
        id == kNoValue || !graph_.value(id).constant ? nullptr : &*graph_.value(id).constant);
  }
  const std::vector<TensorType> types = info.shape_rule(query);
  Node node{.op = op, .name = name, .origins = {{name, std::string(info.name)}}};
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  node.fusion = fusion;
  for (std::size_t i = 0; i < types.size(); ++i) {
    node.outputs.push_back(
        graph_.AddValue({.name = name + ":" + std::to_string(i), .type = types[i]}));
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs[0];
}

Graph GraphBuilder::Finish(std::vector<ValueId> outputs) {
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

}  // namespace halftone::testing
