#include "src/export/model_parts.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "src/base/error.h"
#include "src/onnx/graph_order.h"

namespace halftone {
namespace {

onnx::AttributeProto& AddAttribute(onnx::NodeProto& node, std::string_view name,
                                   onnx::AttributeProto::AttributeType type) {
  EraseAttribute(node, name);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(type);
  return attribute;
}

struct AttributeWriter {
  onnx::NodeProto& node;
  const std::string& name;

  void operator()(std::int64_t value) const { SetInt(node, name, value); }

  void operator()(float value) const {
    AddAttribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
  }

  void operator()(const std::string& value) const { SetText(node, name, value); }

  void operator()(const std::vector<std::int64_t>& values) const {
    AddAttribute(node, name, onnx::AttributeProto::INTS)
        .mutable_ints()
        ->Add(values.begin(), values.end());
  }

  void operator()(const std::vector<float>& values) const {
    AddAttribute(node, name, onnx::AttributeProto::FLOATS)
        .mutable_floats()
        ->Add(values.begin(), values.end());
  }

  void operator()(const std::vector<std::string>& values) const {
    onnx::AttributeProto& attribute = AddAttribute(node, name, onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) {
      attribute.add_strings(value);
    }
  }

  void operator()(const Tensor& /*value*/) const {
    throw Error(ErrorKind::kInternal, fmt::format("attribute '{}' is a tensor", name));
  }
};

}  // namespace

ModelParts::ModelParts(onnx::GraphProto& graph) : graph_(graph) {
  for (const auto& input : graph.input()) {
    taken_.insert(input.name());
  }
  for (const auto& initializer : graph.initializer()) {
    taken_.insert(initializer.name());
  }
  for (const auto& node : graph.node()) {
    taken_.insert(node.name());
    taken_.insert(node.output().begin(), node.output().end());
    for (std::string& name : NamesReadBy(node)) {
      taken_.insert(std::move(name));
    }
  }
}

std::string ModelParts::FreeName(const std::string& name) {
  std::string free = name;
  for (int i = 2; !taken_.insert(free).second; ++i) {
    free = fmt::format("{}_{}", name, i);
  }
  return free;
}

std::string ModelParts::AddTensor(const std::string& name, const Tensor& tensor) {
  onnx::TensorProto& proto = *graph_.add_initializer();
  proto.set_name(FreeName(name));
  proto.set_data_type(RowOf(tensor.dtype()).onnx_type);
  for (const std::int64_t extent : tensor.shape().dims()) {
    proto.add_dims(extent);
  }
  proto.set_raw_data(tensor.data(), tensor.size_bytes());
  return proto.name();
}

onnx::NodeProto MakeNode(std::string_view type, std::string name,
                         const std::vector<std::string>& inputs, std::string output) {
  onnx::NodeProto node;
  node.set_op_type(std::string(type));
  node.set_name(std::move(name));
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  node.add_output(std::move(output));
  return node;
}

void SetInt(onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  AddAttribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void SetText(onnx::NodeProto& node, std::string_view name, std::string_view value) {
  AddAttribute(node, name, onnx::AttributeProto::STRING).set_s(std::string(value));
}

void SetAttributes(onnx::NodeProto& node, const Attributes& attributes) {
  for (const auto& [name, value] : attributes.values()) {
    std::visit(AttributeWriter{node, name}, value);
  }
}

bool EraseAttribute(onnx::NodeProto& node, std::string_view name) {
  for (int i = 0; i < node.attribute_size(); ++i) {
    if (node.attribute(i).name() == name) {
      node.mutable_attribute()->DeleteSubrange(i, 1);
      return true;
    }
  }
  return false;
}

}  // namespace halftone
