// What becomes float16 in a network for the peer, and what stays float32.
#include "labs/onnxruntime/float16_model.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

constexpr int kHalf = onnx::TensorProto::FLOAT16;
constexpr int kFloat = onnx::TensorProto::FLOAT;

// The network with these parts of a graph, in float16.
onnx::ModelProto InFloat16(const std::string& graph) {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(ir_version: 8 opset_import { domain: "" version: 13 } graph { )" + graph + "}", &model));
  onnx::ModelProto written;
  EXPECT_TRUE(written.ParseFromString(Float16Model(model.SerializeAsString())));
  return written;
}

std::string FloatInput(const std::string& name) {
  return "input { name: \"" + name + "\" type { tensor_type { elem_type: 1 } } } ";
}

std::string FloatOutput(const std::string& name) {
  return "output { name: \"" + name + "\" type { tensor_type { elem_type: 1 } } } ";
}

// "Add a b -> c"
std::vector<std::string> Described(const onnx::GraphProto& graph) {
  std::vector<std::string> nodes;
  for (const auto& node : graph.node()) {
    std::string text = node.op_type();
    for (const std::string& input : node.input()) {
      text += " " + input;
    }
    text += " ->";
    for (const std::string& output : node.output()) {
      text += " " + output;
    }
    nodes.push_back(text);
  }
  return nodes;
}

const onnx::TensorProto& InitializerOf(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& initializer : model.graph().initializer()) {
    if (initializer.name() == name) {
      return initializer;
    }
  }
  ADD_FAILURE() << "no initializer " << name;
  return onnx::TensorProto::default_instance();
}

TEST(Float16ModelTest, CastsStandAtTheBoundary) {
  const onnx::ModelProto model =
      InFloat16(FloatInput("x") +
                R"(input { name: "i" type { tensor_type { elem_type: 7 } } }
    initializer { name: "w" data_type: 1 dims: 1 float_data: 0.5 }
    initializer { name: "n" data_type: 7 dims: 1 int64_data: 3 }
    node { op_type: "Mul" input: "x" input: "w" output: "m" }
    node { op_type: "Gather" input: "m" input: "i" output: "y" }
    node { op_type: "Relu" input: "y" output: "z" }
    value_info { name: "m" type { tensor_type { elem_type: 1 } } } )" +
                FloatOutput("y") + FloatOutput("z"));
  EXPECT_THAT(
      Described(model.graph()),
      ElementsAre("Cast x -> x_float16", "Mul x_float16 w -> m", "Gather m i -> y_float16",
                  "Relu y_float16 -> z_float16", "Cast y_float16 -> y", "Cast z_float16 -> z"));
  EXPECT_EQ(model.graph().node(0).attribute(0).i(), kHalf);
  EXPECT_EQ(model.graph().node(5).attribute(0).i(), kFloat);
  EXPECT_EQ(model.graph().input(0).type().tensor_type().elem_type(), kFloat);
  EXPECT_EQ(model.graph().output(0).type().tensor_type().elem_type(), kFloat);
  EXPECT_EQ(model.graph().value_info(0).type().tensor_type().elem_type(), kHalf);
  EXPECT_EQ(InitializerOf(model, "w").data_type(), kHalf);
  EXPECT_EQ(InitializerOf(model, "n").data_type(), onnx::TensorProto::INT64);
}

TEST(Float16ModelTest, ConstantsStayFiniteAndOtherThanZero) {
  const onnx::ModelProto model = InFloat16(
      R"(initializer { name: "w" data_type: 1 dims: 6
      float_data: [0.1, 0, 1e-12, -1e-12, 1e9, -3.4e38] }
    initializer { name: "infinite" data_type: 1 dims: 1 float_data: -inf })");
  const auto half = [](float value) { return Float16::FromFloat(value); };
  EXPECT_THAT(
      TensorOf(InitializerOf(model, "w"), {}).values<Float16>(),
      ElementsAre(half(0.1F), half(0), half(1e-7F), half(-1e-7F), half(65504), half(-65504)));
  EXPECT_GT(half(1e-7F).ToFloat(), 0);
  EXPECT_THAT(TensorOf(InitializerOf(model, "infinite"), {}).values<Float16>(),
              ElementsAre(half(-std::numeric_limits<float>::infinity())));
}

TEST(Float16ModelTest, AttributesThatNameOrHoldFloats) {
  const onnx::ModelProto model = InFloat16(R"(
    node { op_type: "Cast" input: "i" output: "c" attribute { name: "to" type: INT i: 1 } }
    node { op_type: "Cast" input: "i" output: "d" attribute { name: "to" type: INT i: 7 } }
    node { op_type: "Constant" output: "v" attribute { name: "value" type: TENSOR
           t { data_type: 1 float_data: 2 } } }
    node { op_type: "Constant" output: "f" attribute { name: "value_floats" type: FLOATS
           floats: [3, 4] } }
    node { op_type: "Constant" output: "n" attribute { name: "value_int" type: INT i: 1 } }
    node { op_type: "ConstantOfShape" input: "s" output: "z" })");
  const auto attribute = [&](int node) { return model.graph().node(node).attribute(0); };
  EXPECT_EQ(attribute(0).i(), kHalf);
  EXPECT_EQ(attribute(1).i(), onnx::TensorProto::INT64);
  EXPECT_EQ(attribute(2).t().data_type(), kHalf);
  EXPECT_EQ(attribute(3).name(), "value");
  EXPECT_EQ(attribute(3).type(), onnx::AttributeProto::TENSOR);
  EXPECT_THAT(TensorOf(attribute(3).t(), {}).values<Float16>(),
              ElementsAre(Float16::FromFloat(3), Float16::FromFloat(4)));
  EXPECT_EQ(attribute(4).i(), 1);
  EXPECT_EQ(attribute(5).name(), "value");
  EXPECT_EQ(attribute(5).t().data_type(), kHalf);
}

// The scales are in float32 in every opset; what is constant keeps its digits.
TEST(Float16ModelTest, OperandsThatAreAlwaysFloat32) {
  const onnx::ModelProto model = InFloat16(FloatInput("x") + R"(
    initializer { name: "s" data_type: 1 dims: 1 float_data: 1.3333333 }
    node { op_type: "Relu" input: "x" output: "r" }
    node { op_type: "Resize" input: "r" input: "" input: "s" output: "a" }
    node { op_type: "Resize" input: "a" input: "" input: "s" output: "b" }
    node { op_type: "Sqrt" input: "b" output: "t" }
    node { op_type: "Resize" input: "b" input: "" input: "t" output: "c" })");
  EXPECT_THAT(Described(model.graph()),
              ElementsAre("Cast x -> x_float16", "Relu x_float16 -> r", "Resize r  s_float32 -> a",
                          "Resize a  s_float32 -> b", "Sqrt b -> t", "Cast t -> t_float32",
                          "Resize b  t_float32 -> c"));
  EXPECT_THAT(TensorOf(InitializerOf(model, "s_float32"), {}).values<float>(),
              ElementsAre(1.3333333F));
  EXPECT_EQ(InitializerOf(model, "s").data_type(), kHalf);
}

// No cast between operators that both have float32 there.
TEST(Float16ModelTest, QuantizedNetworksKeepTheirScales) {
  const onnx::ModelProto model = InFloat16(FloatInput("x") + R"(
    initializer { name: "s" data_type: 1 float_data: 0.1 }
    initializer { name: "z" data_type: 3 int32_data: 0 }
    node { op_type: "QuantizeLinear" input: "x" input: "s" input: "z" output: "q" }
    node { op_type: "DequantizeLinear" input: "q" input: "s" input: "z" output: "d" }
    node { op_type: "QuantizeLinear" input: "d" input: "s" input: "z" output: "p" }
    node { op_type: "Relu" input: "d" output: "r" })");
  EXPECT_THAT(Described(model.graph()),
              ElementsAre("Cast x -> x_float16", "QuantizeLinear x s_float32 z -> q",
                          "DequantizeLinear q s_float32 z -> d_float32", "Cast d_float32 -> d",
                          "QuantizeLinear d_float32 s_float32 z -> p", "Relu d -> r"));
}

TEST(Float16ModelTest, RangesOfIntegersStay) {
  const onnx::ModelProto model = InFloat16(R"(
    initializer { name: "n" data_type: 7 int64_data: 3 }
    initializer { name: "f" data_type: 1 float_data: 3 }
    node { op_type: "Range" input: "n" input: "n" input: "n" output: "a" }
    node { op_type: "Range" input: "f" input: "f" input: "f" output: "b" })");
  EXPECT_THAT(Described(model.graph()),
              ElementsAre("Range n n n -> a", "Range f_float32 f_float32 f_float32 -> b_float32",
                          "Cast b_float32 -> b"));
}

TEST(Float16ModelTest, BodiesOfControlFlow) {
  const onnx::ModelProto model = InFloat16(FloatInput("x") + R"(
    node { op_type: "If" input: "condition" output: "y"
           attribute { name: "then_branch" type: GRAPH g {
             initializer { name: "w" data_type: 1 float_data: 2 }
             node { op_type: "Resize" input: "x" input: "" input: "w" output: "r" }
             node { op_type: "Mul" input: "r" input: "w" output: "then" }
             output { name: "then" type { tensor_type { elem_type: 1 } } } } }
           attribute { name: "else_branch" type: GRAPH g {
             node { op_type: "Identity" input: "x" output: "else" }
             output { name: "else" type { tensor_type { elem_type: 1 } } } } } } )" +
                                           FloatOutput("y"));
  EXPECT_THAT(
      Described(model.graph()),
      ElementsAre("Cast x -> x_float16", "If condition -> y_float16", "Cast y_float16 -> y"));
  const onnx::GraphProto& then_branch = model.graph().node(1).attribute(0).g();
  EXPECT_THAT(Described(then_branch),
              ElementsAre("Resize x_float16  w_float32_1 -> r", "Mul r w -> then"));
  EXPECT_EQ(then_branch.output(0).type().tensor_type().elem_type(), kHalf);
  EXPECT_EQ(then_branch.initializer(0).data_type(), kHalf);
  EXPECT_EQ(then_branch.initializer(1).data_type(), kFloat);
  EXPECT_THAT(Described(model.graph().node(1).attribute(1).g()),
              ElementsAre("Identity x_float16 -> else"));
}

TEST(Float16ModelTest, NoModel) {
  EXPECT_THROW(Float16Model("no model"), Error);
}

}  // namespace
}  // namespace halftone
