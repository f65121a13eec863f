// Writes small models for tests, well-formed or not, straight through the protobuf classes.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"

namespace halftone::testing {

class ModelWriter {
 public:
  explicit ModelWriter(std::int64_t opset = 17) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    graph().set_name("test");
  }

  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  // Extents below 0 are free dimensions named "free<axis>".
  void Input(const std::string& name, const std::vector<std::int64_t>& dims, int type = 1) {
    Describe(*graph().add_input(), name, dims, type);
  }

  void Output(const std::string& name) { graph().add_output()->set_name(name); }

  static void Describe(onnx::ValueInfoProto& value, const std::string& name,
                       const std::vector<std::int64_t>& dims, int type) {
    value.set_name(name);
    auto* tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      auto* dim = tensor->mutable_shape()->add_dim();
      if (dims[axis] < 0) {
        dim->set_dim_param("free" + std::to_string(axis));
      } else {
        dim->set_dim_value(dims[axis]);
      }
    }
  }

  onnx::NodeProto& Node(const std::string& type, const std::string& name,
                        std::initializer_list<const char*> inputs,
                        std::initializer_list<const char*> outputs) {
    return AddNode(graph(), type, name, inputs, outputs);
  }

  static onnx::NodeProto& AddNode(onnx::GraphProto& graph, const std::string& type,
                                  const std::string& name,
                                  std::initializer_list<const char*> inputs,
                                  std::initializer_list<const char*> outputs) {
    auto* node = graph.add_node();
    node->set_op_type(type);
    node->set_name(name);
    for (const char* input : inputs) {
      node->add_input(input);
    }
    for (const char* output : outputs) {
      node->add_output(output);
    }
    return *node;
  }

  void Floats(const std::string& name, const std::vector<std::int64_t>& dims,
              const std::vector<float>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->mutable_dims()->Add(dims.begin(), dims.end());
    tensor->mutable_float_data()->Add(values.begin(), values.end());
  }

  void Integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    tensor->mutable_int64_data()->Add(values.begin(), values.end());
  }

  static void SetInt(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
  }

  static void SetFloat(onnx::NodeProto& node, const std::string& name, float value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::FLOAT);
    attribute->set_f(value);
  }

  static void SetText(onnx::NodeProto& node, const std::string& name, const std::string& value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value);
  }

  static void SetInts(onnx::NodeProto& node, const std::string& name,
                      const std::vector<std::int64_t>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    attribute->mutable_ints()->Add(values.begin(), values.end());
  }

  static void SetFloats(onnx::NodeProto& node, const std::string& name,
                        const std::vector<float>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::FLOATS);
    attribute->mutable_floats()->Add(values.begin(), values.end());
  }

  // Saves the model in a separate folder for each test.
  [[nodiscard]] std::filesystem::path Save() const {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string folder = std::string(test->test_suite_name()) + "." + test->name();
    for (char& letter : folder) {
      letter = letter == '/' ? '_' : letter;
    }
    const auto file =
        std::filesystem::path(::testing::TempDir()) / ("halftone_" + folder) / "model.onnx";
    WriteFileAtomically(file, model.SerializeAsString());
    return file;
  }

  [[nodiscard]] ImportResult Import(const ImportOptions& options = {}) const {
    return ImportOnnx(Save(), options);
  }

  onnx::ModelProto model;
};

// "Conv[conv1] Relu[relu1]"
inline std::string NodesOf(const Graph& graph) {
  std::string text;
  for (const halftone::Node& node : graph.nodes) {
    text += (text.empty() ? "" : " ") + std::string(InfoOf(node.op).name) + "[" + node.name + "]";
  }
  return text;
}

}  // namespace halftone::testing
