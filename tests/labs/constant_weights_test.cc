// Weights become constants, and nothing else of the model changes.
#include "labs/onnxruntime/constant_weights.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

#include "src/base/error.h"
#include "src/ir/tensor.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

std::string Bytes(const std::string& text) {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return model.SerializeAsString();
}

onnx::ModelProto Parse(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

template <typename Messages>
std::vector<std::string> NamesOf(const Messages& messages) {
  std::vector<std::string> names;
  for (const auto& message : messages) {
    names.push_back(message.name());
  }
  return names;
}

TEST(ConstantWeightsTest, InitializersAreNoInputs) {
  const std::string model = Bytes(R"(ir_version: 3 graph {
    input { name: "w" } input { name: "x" } initializer { name: "w" data_type: 1 float_data: 2 }
    node { op_type: "Mul" name: "m" input: "x" input: "w" output: "y" } output { name: "y" } })");
  const ConstantWeights result = MakeWeightsConstant(model);
  const onnx::ModelProto rewritten = Parse(result.model);
  EXPECT_EQ(rewritten.ir_version(), 4);
  EXPECT_THAT(NamesOf(rewritten.graph().input()), ElementsAre("x"));
  EXPECT_THAT(NamesOf(rewritten.graph().initializer()), ElementsAre("w"));
  EXPECT_THAT(NamesOf(rewritten.graph().node()), ElementsAre("m"));
  EXPECT_FALSE(result.is_another_network());
}

TEST(ConstantWeightsTest, ANewModelStaysAsItIs) {
  const std::string model = Bytes(R"(ir_version: 8 graph { input { name: "x" }
    node { op_type: "Relu" input: "x" output: "y" } output { name: "y" } })");
  EXPECT_EQ(MakeWeightsConstant(model, {.random_weights = true}).model, model);
}

TEST(ConstantWeightsTest, FreeDimensionsByName) {
  const std::string model = Bytes(R"(ir_version: 8 graph { input { name: "x" type { tensor_type {
    shape { dim { dim_param: "batch" } dim { dim_param: "sequence" } dim { dim_value: 3 } } } } } })");
  const ConstantWeights result = MakeWeightsConstant(model, {.dimensions = {{"sequence", 128}}});
  const onnx::ModelProto rewritten = Parse(result.model);
  const auto& shape = rewritten.graph().input(0).type().tensor_type().shape();
  EXPECT_EQ(shape.dim(0).dim_param(), "batch");
  EXPECT_EQ(shape.dim(1).dim_value(), 128);
  EXPECT_EQ(shape.dim(2).dim_value(), 3);
  EXPECT_TRUE(result.is_another_network());
}

// A weight of constant shape `dims`, and the node that reads it as "w".
struct MadeWeightCase {
  const char* name;
  const char* dims;
  const char* reader;
  double low;
  double high;
};

class MadeWeightTest : public ::testing::TestWithParam<MadeWeightCase> {};

std::string ModelOf(const MadeWeightCase& c) {
  return Bytes(std::string(R"(ir_version: 8 graph { input { name: "x" }
    initializer { name: "s" data_type: 7 )") +
               c.dims +
               R"(} node { op_type: "ConstantOfShape" name: "c" input: "s" output: "w" } )" +
               c.reader + "}");
}

// Every value in range, and the values fill the range.
TEST_P(MadeWeightTest, HasValuesOfItsUse) {
  const MadeWeightCase& c = GetParam();
  const ConstantWeights result = MakeWeightsConstant(ModelOf(c), {.random_weights = true});
  EXPECT_EQ(result.random_weights, 1U);
  const onnx::ModelProto model = Parse(result.model);
  ASSERT_THAT(NamesOf(model.graph().initializer()), ElementsAre("s", "w"));
  for (const auto& node : model.graph().node()) {
    EXPECT_NE(node.op_type(), "ConstantOfShape");
  }
  const std::vector<double> values = DoublesOf(TensorOf(model.graph().initializer(1), {}));
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, c.low * (c.low < 0 ? 1.00001 : 0.99999));
  EXPECT_LT(*largest, c.high * 1.00001);
  EXPECT_GT(*largest - *least, 0.9 * (c.high - c.low));
}

const double kFan48 = std::sqrt(3.0 / 48);

const MadeWeightCase kMadeWeights[] = {
    {"conv", "dims: 4 int64_data: [64, 3, 4, 4]",
     R"(node { op_type: "Conv" input: "x" input: "w" })", -kFan48, kFan48},
    {"matmul", "dims: 2 int64_data: [48, 16]",
     R"(node { op_type: "MatMul" input: "x" input: "w" })", -kFan48, kFan48},
    {"gemm", "dims: 2 int64_data: [48, 16]", R"(node { op_type: "Gemm" input: "x" input: "w" })",
     -kFan48, kFan48},
    {"gemm_transposed", "dims: 2 int64_data: [16, 48]",
     R"(node { op_type: "Gemm" input: "x" input: "w" attribute { name: "transB" type: INT i: 1 } })",
     -kFan48, kFan48},
    {"conv_behind_reshape", "dims: 4 int64_data: [1, 1, 16, 48]",
     R"(node { op_type: "Reshape" input: "w" input: "t" output: "v" }
        node { op_type: "Conv" input: "x" input: "v" })",
     -std::sqrt(3.0 / 768), std::sqrt(3.0 / 768)},
    {"variance", "dims: 1 int64_data: 200",
     R"(node { op_type: "BatchNormalization" input: "x" input: "a" input: "b" input: "m" input: "w" })",
     0.5, 1.5},
    {"mean", "dims: 1 int64_data: 200",
     R"(node { op_type: "BatchNormalization" input: "x" input: "a" input: "b" input: "w" input: "v" })",
     -0.1, 0.1},
    {"scale_behind_unsqueeze", "dims: 1 int64_data: 200",
     R"(node { op_type: "Unsqueeze" input: "w" output: "u" }
        node { op_type: "Mul" input: "x" input: "u" })",
     0.5, 1.5},
    {"bias", "dims: 1 int64_data: 200", R"(node { op_type: "Add" input: "x" input: "w" })", -0.1,
     0.1},
};

INSTANTIATE_TEST_SUITE_P(All, MadeWeightTest, ::testing::ValuesIn(kMadeWeights),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ConstantWeightsTest, TheSeedDecides) {
  const std::string model = ModelOf(kMadeWeights[0]);
  const auto made = [&](std::uint64_t seed) {
    return MakeWeightsConstant(model, {.random_weights = true, .seed = seed}).model;
  };
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
}

// Shapes that follow from inputs, and integers, are part of what a network computes.
TEST(ConstantWeightsTest, OtherConstantsOfShapeStay) {
  const std::string model = Bytes(R"(ir_version: 8 graph { input { name: "x" }
    initializer { name: "s" data_type: 7 dims: 1 int64_data: 4 }
    node { op_type: "Shape" input: "x" output: "t" }
    node { op_type: "ConstantOfShape" input: "t" output: "a" }
    node { op_type: "ConstantOfShape" input: "s" output: "b"
           attribute { name: "value" type: TENSOR t { data_type: 7 int64_data: 1 dims: 1 } } } })");
  const ConstantWeights result = MakeWeightsConstant(model, {.random_weights = true});
  EXPECT_EQ(result.model, model);
  EXPECT_EQ(result.random_weights, 0U);
}

TEST(ConstantWeightsTest, BytesThatAreNoModel) {
  for (const std::string bytes : {"", "no model"}) {
    try {
      static_cast<void>(MakeWeightsConstant(bytes));
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      EXPECT_EQ(
          std::string(error.what()),
          "expected an ONNX model, " + std::to_string(bytes.size()) + " bytes do not parse as one");
    }
  }
}

}  // namespace
}  // namespace halftone
