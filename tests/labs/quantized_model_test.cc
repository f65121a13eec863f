// What is put around operators so that the peer computes them on integers.
#include "labs/onnxruntime/quantized_model.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "src/base/error.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

// Two channels of a 1x1 convolution with a clamp behind, then a sum with the input's own size.
std::string Network() {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(ir_version: 8
    opset_import { domain: "" version: 9 }
    graph {
      input { name: "x" }
      initializer { name: "w" data_type: 1 dims: 2 dims: 1 dims: 1 dims: 1
                    float_data: 0.5 float_data: -2 }
      initializer { name: "b" data_type: 1 dims: 2 float_data: 1 float_data: -3 }
      node { op_type: "Conv" input: "x" input: "w" input: "b" output: "c" }
      node { op_type: "Relu" input: "c" output: "r" }
      node { op_type: "Exp" input: "r" output: "e" }
      node { op_type: "Add" input: "r" input: "e" output: "y" }
      output { name: "y" } })",
                                                            &model));
  return model.SerializeAsString();
}

onnx::ModelProto Parse(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

Tensor InitializerOf(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& initializer : model.graph().initializer()) {
    if (initializer.name() == name) {
      return TensorOf(initializer, {});
    }
  }
  ADD_FAILURE() << "no initializer " << name;
  return {};
}

std::vector<std::string> Described(const onnx::ModelProto& model) {
  std::vector<std::string> nodes;
  for (const auto& node : model.graph().node()) {
    nodes.push_back(node.op_type() + " " + node.input(0) + " -> " + node.output(0));
  }
  return nodes;
}

// What a clamp alone reads is not rounded before the clamp.
TEST(QuantizedModelTest, ValuesAroundQuantizableOperators) {
  EXPECT_THAT(QuantizedValues(Network()), ElementsAre("x", "r", "e", "y"));
}

TEST(QuantizedModelTest, OutputsAreAddedOnce) {
  const onnx::ModelProto model = Parse(WithOutputs(Network(), {"r", "y"}));
  ASSERT_EQ(model.graph().output_size(), 2);
  EXPECT_EQ(model.graph().output(0).name(), "y");
  EXPECT_EQ(model.graph().output(1).name(), "r");
}

TEST(QuantizedModelTest, PairsAndScales) {
  const onnx::ModelProto model = Parse(QuantizedModel(
      Network(), {{"x", {-1, 4.1}}, {"r", {0, 5.1}}, {"e", {1, 200}}, {"y", {0, 510}}}));
  EXPECT_THAT(Described(model),
              ElementsAre("QuantizeLinear x -> x_dequantized_uint8",
                          "DequantizeLinear x_dequantized_uint8 -> x_dequantized",
                          "DequantizeLinear w_int8_0 -> w_int8_0_dequantized",
                          "DequantizeLinear b_sums_0 -> b_sums_0_dequantized",
                          "Conv x_dequantized -> c", "Relu c -> r_exact",
                          "QuantizeLinear r_exact -> r_uint8", "DequantizeLinear r_uint8 -> r",
                          "Exp r -> e_exact", "QuantizeLinear e_exact -> e_uint8",
                          "DequantizeLinear e_uint8 -> e", "Add r -> y_exact",
                          "QuantizeLinear y_exact -> y_uint8", "DequantizeLinear y_uint8 -> y"));
  EXPECT_THAT(InitializerOf(model, "x_dequantized_scale").values<float>(),
              ElementsAre(FloatEq(5.1F / 255)));
  EXPECT_THAT(InitializerOf(model, "x_dequantized_zero").values<std::uint8_t>(), ElementsAre(50));
  EXPECT_THAT(InitializerOf(model, "r_zero").values<std::uint8_t>(), ElementsAre(0));
  EXPECT_THAT(InitializerOf(model, "e_scale").values<float>(), ElementsAre(FloatEq(200.0F / 255)))
      << "zero is in the range";
  EXPECT_THAT(InitializerOf(model, "w_int8_0").values<std::int8_t>(), ElementsAre(127, -127));
  EXPECT_THAT(InitializerOf(model, "w_int8_0_scale").values<float>(),
              ElementsAre(FloatEq(0.5F / 127), FloatEq(2.0F / 127)));
  // 1 / (0.02 * 0.5 / 127) and -3 / (0.02 * 2 / 127)
  EXPECT_THAT(InitializerOf(model, "b_sums_0").values<std::int32_t>(), ElementsAre(12700, -9525));
  ASSERT_EQ(model.opset_import_size(), 2);
  EXPECT_EQ(model.opset_import(0).version(), 10);
  EXPECT_EQ(model.opset_import(1).domain(), "com.microsoft");
}

TEST(QuantizedModelTest, WhatHasNoRangeStaysAsItIs) {
  EXPECT_THAT(Described(Parse(QuantizedModel(Network(), {}))),
              ElementsAre("Conv x -> c", "Relu c -> r", "Exp r -> e", "Add r -> y"));
}

TEST(QuantizedModelTest, NoModel) {
  EXPECT_THROW(QuantizedValues("no model"), Error);
}

}  // namespace
}  // namespace halftone
