// Forms of QuantizeLinear and DequantizeLinear in files, and what is refused.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using testing::ModelWriter;
using testing::NodesOf;

struct Case {
  const char* name;
  std::int64_t opset;
  std::function<void(ModelWriter&)> make;  // makes y
  std::string expected;                    // nodes and the type of y, or the error
};

constexpr int kFloat = onnx::TensorProto::FLOAT;
constexpr int kHalf = onnx::TensorProto::FLOAT16;
constexpr int kS8 = onnx::TensorProto::INT8;
constexpr int kU8 = onnx::TensorProto::UINT8;
constexpr int kS16 = onnx::TensorProto::INT16;
constexpr int kS32 = onnx::TensorProto::INT32;
constexpr int kFloat8 = 17;
constexpr int kInt4 = 22;

onnx::NodeProto& Quantize(ModelWriter& writer, int x) {
  writer.Input("x", {2, 3}, x);
  writer.Input("scale", {}, x == kHalf ? kHalf : kFloat);
  return writer.Node("QuantizeLinear", "q", {"x", "scale"}, {"y"});
}

onnx::NodeProto& Dequantize(ModelWriter& writer, int scale) {
  writer.Input("x", {2, 3}, kS8);
  writer.Input("scale", {}, scale);
  return writer.Node("DequantizeLinear", "d", {"x", "scale"}, {"y"});
}

std::string Outcome(const Case& test) {
  ModelWriter writer(test.opset);
  test.make(writer);
  writer.Output("y");
  try {
    const Graph graph = writer.Import().graph;
    return NodesOf(graph) + ": " + graph.value(graph.outputs[0]).type.ToString();
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::size_t node = message.find("node '");
    return node == std::string::npos ? message : message.substr(node);
  }
}

const Case kCases[] = {
    {"ToBytes", 13, [](auto& w) { Quantize(w, kFloat); }, "QuantizeLinear[q]: uint8 2x3"},
    {"OutputType", 21,
     [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "output_dtype", kS16); },
     "QuantizeLinear[q]: int16 2x3"},
    {"Saturate", 19, [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "saturate", 1); },
     "QuantizeLinear[q]: uint8 2x3"},
    {"Int32", 13, [](auto& w) { Quantize(w, kS32); }, "Cast[q/1] QuantizeLinear[q]: uint8 2x3"},
    {"Float16", 19, [](auto& w) { Quantize(w, kHalf); },
     "Cast[q/0] Cast[q/1] QuantizeLinear[q]: uint8 2x3"},
    {"OutputTypeAgainstZeroPoint", 21,
     [](auto& w) {
       w.Input("zero", {}, kS8);
       auto& node = Quantize(w, kFloat);
       node.add_input("zero");
       ModelWriter::SetInt(node, "output_dtype", kU8);
     },
     "node 'q' (QuantizeLinear): attribute 'output_dtype' is uint8, the zero point int8"},
    {"ToFloat8", 21,
     [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "output_dtype", kFloat8); },
     "node 'q' (QuantizeLinear): attribute 'output_dtype': expected int8, uint8, int16 or uint16, "
     "got TensorProto type 17: 8-bit floating and 4-bit types are not supported"},
    {"ToInt4", 21, [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "output_dtype", kInt4); },
     "node 'q' (QuantizeLinear): attribute 'output_dtype': expected int8, uint8, int16 or uint16, "
     "got TensorProto type 22: 8-bit floating and 4-bit types are not supported"},
    {"ToInt64", 21, [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "output_dtype", 7); },
     "node 'q' (QuantizeLinear): attribute 'output_dtype': expected int8, uint8, int16 or uint16, "
     "got TensorProto type 7"},
    {"Precision", 21, [](auto& w) { ModelWriter::SetInt(Quantize(w, kFloat), "precision", kHalf); },
     "node 'q' (QuantizeLinear): attribute 'precision': divisions in other types than float32 are "
     "not supported"},
    {"Back", 13, [](auto& w) { Dequantize(w, kFloat); }, "DequantizeLinear[d]: float32 2x3"},
    {"BackToFloat16", 19, [](auto& w) { Dequantize(w, kHalf); },
     "Cast[d/1/1] DequantizeLinear[d/1] Cast[d]: float16 2x3"},
    {"BackToOutputType", 21,
     [](auto& w) { ModelWriter::SetInt(Dequantize(w, kFloat), "output_dtype", kHalf); },
     "DequantizeLinear[d/1] Cast[d]: float16 2x3"},
    {"BiasOfAProduct", 13,
     [](auto& w) {
       w.Input("a", {2, 3}, kU8);
       w.Input("s", {}, kFloat);
       w.Input("z", {}, kU8);
       w.Input("b", {3, 4}, kU8);
       w.Input("bias", {4}, kS32);
       w.Node("QLinearMatMul", "m", {"a", "s", "z", "b", "s", "z", "s", "z", "bias"}, {"y"});
     },
     "node 'm' (QLinearMatMul): expected 8 inputs, got 9"},
    {"FloatsAsData", 13,
     [](auto& w) {
       w.Input("a", {2, 3}, kFloat);
       w.Node("MatMulInteger", "m", {"a", "a"}, {"y"});
     },
     "node 'm' (MatMulInteger): input 0: expected int8, uint8, int16, uint16 or int32, got float32 "
     "2x3"},
};

class UpgradeQuantizedTest : public ::testing::TestWithParam<Case> {};

TEST_P(UpgradeQuantizedTest, GivesTheOneForm) {
  EXPECT_EQ(Outcome(GetParam()), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, UpgradeQuantizedTest, ::testing::ValuesIn(kCases),
                         [](const auto& suite) { return suite.param.name; });

// What is dequantised keeps its integers until the passes.
TEST(UpgradeQuantizedTest, ConstantsAreNotFoldedAtImport) {
  ModelWriter writer(13);
  auto* weights = writer.graph().add_initializer();
  weights->set_name("w");
  weights->set_data_type(kS8);
  weights->add_dims(2);
  weights->mutable_int32_data()->Add(-3);
  weights->mutable_int32_data()->Add(5);
  writer.Floats("scale", {}, {0.5F});
  writer.Input("x", {2});
  writer.Node("DequantizeLinear", "d", {"w", "scale"}, {"t"});
  writer.Node("Mul", "m", {"x", "t"}, {"y"});
  writer.Output("y");
  EXPECT_EQ(NodesOf(writer.Import().graph), "DequantizeLinear[d] Mul[m]");
}

}  // namespace
}  // namespace halftone
