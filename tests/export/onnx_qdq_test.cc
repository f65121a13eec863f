// The written file, read back, gives what the plan gives.
#include "src/export/onnx_qdq.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "src/exec/host_target.h"
#include "src/precision/resolve/resolve.h"
#include "tests/export/written_model.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::AllInQInt8;
using ::testing::ElementsAre;
using testing::ExpectValid;
using testing::ExpectWithinOneStep;
using ::testing::HasSubstr;
using testing::Imported;
using ::testing::IsEmpty;
using testing::ModelWriter;
using testing::SmallNet;
using testing::Write;
using testing::Written;

TEST(OnnxQdq, AConvIsOneBetweenPairs) {
  SmallNet net;
  net.Conv("x", "y");
  const Written written = Write(net.Save());
  EXPECT_EQ(written.Types(),
            "QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv QuantizeLinear "
            "DequantizeLinear");
  EXPECT_EQ(written.file.products, 1);
  EXPECT_EQ(written.file.tensors, 2);
  EXPECT_EQ(written.proto.graph().input_size(), 1);
  EXPECT_EQ(written.proto.graph().output(0).name(), "y");
  EXPECT_EQ(testing::NodesOf(Imported(written.path)),
            "QuantizeLinear[x_QuantizeLinear] QLinearConv[y_conv] "
            "DequantizeLinear[y_DequantizeLinear]");
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, BatchNormalizationIsFoldedAsInThePlan) {
  SmallNet net;
  net.Conv("x", "c");
  net.BatchNorm("c", "n");
  net.Node("Relu", "act", {"n"}, {"y"});
  const Written written = Write(net.Save());
  EXPECT_THAT(written.Types(), Not(HasSubstr("BatchNormalization")));
  EXPECT_EQ(written.file.products, 1);
  ExpectWithinOneStep(written);
}

Tensor InitializerOf(const Written& written, const std::string& name) {
  for (const auto& tensor : written.proto.graph().initializer()) {
    if (tensor.name() == name) {
      const bool is_float = tensor.data_type() == onnx::TensorProto::FLOAT;
      Tensor read(is_float ? DType::kFloat32 : DType::kInt8,
                  Shape({tensor.dims().begin(), tensor.dims().end()}));
      EXPECT_EQ(tensor.raw_data().size(), read.size_bytes());
      std::ranges::copy(std::as_bytes(std::span(tensor.raw_data())), read.mutable_data());
      return read;
    }
  }
  ADD_FAILURE() << "no " << name;
  return Tensor(DType::kInt8, Shape{0});
}

// A table has scales of the tensors of the model: what is folded into one goes into its scale.
TEST(OnnxQdq, ScalesOfATableGoThroughABatchNormalization) {
  const WeightScales by_channel{.scales = {0.01F, 0.02F, 0.03F, 0.04F, 0.05F, 0.06F, 0.07F, 0.08F},
                                .zero_points = {}};
  const WeightScales with_zeros{.scales = {0.01F}, .zero_points = {-128}};
  for (const WeightScales& given : {WeightScales{{0.01F}, {}}, by_channel, with_zeros}) {
    const auto write = [&](bool normalised) {
      SmallNet net;
      net.Conv("x", normalised ? "c" : "y");
      if (normalised) {
        net.BatchNorm("c", "y");
      }
      return Write(net.Save(), AllInQInt8, QdqFlavour::kOrt, {}, {},
                   [&](Quantization& made) { made.weights[normalised ? "c_w" : "y_w"] = given; });
    };
    const Written written = write(true);
    ExpectWithinOneStep(written);
    const auto of_network = [&](const char* name) {
      const auto& values = written.graph.values;
      return DoublesOf(*std::ranges::find(values, name, &Value::name)->constant);
    };
    const std::vector<double> weights = of_network("c_w");
    const std::vector<double> scale = of_network("bn_scale");
    const std::vector<double> variance = of_network("bn_var");
    const std::vector<double> integers = DoublesOf(InitializerOf(written, "c_w_quantized"));
    const std::vector<double> scales = DoublesOf(InitializerOf(written, "c_w_scale"));
    const std::vector<double> zeros = DoublesOf(InitializerOf(written, "c_w_zero_point"));
    ASSERT_EQ(scales.size(), 8U);
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const double factor = scale[c] / std::sqrt(variance[c] + static_cast<double>(1e-5F));
      const auto own = static_cast<double>(given.scales[given.scales.size() == 1 ? 0 : c]);
      // The factor is the quotient of two weights in float32, and the scale is rounded to it.
      EXPECT_NEAR(scales[c], own * std::fabs(factor), 0x1p-22 * scales[c]);
      const double zero = given.zero_points.empty() ? 0 : given.zero_points[0];
      for (std::size_t i = c * 36; i < (c + 1) * 36; ++i) {
        const double least = given.zero_points.empty() ? -127 : -128;
        const double q = std::clamp(std::nearbyint(weights[i] / own) + zero, least, 127.0);
        ASSERT_EQ(integers[i] - zeros[c], factor < 0 ? zero - q : q - zero) << c << " " << i;
      }
    }
  }
}

TEST(OnnxQdq, AResidualAndItsReluFollowTheConv) {
  SmallNet net;
  net.Conv("x", "a");
  net.Conv("a", "b", 8);
  net.Node("Add", "sum", {"b", "a"}, {"s"});
  net.Node("Relu", "act", {"s"}, {"y"});
  const Written written = Write(net.Save());
  EXPECT_EQ(written.file.products, 2);
  EXPECT_EQ(written.file.tensors, 3);  // x, a, y
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, AClipKeepsItsBounds) {
  SmallNet net;
  net.Conv("x", "c");
  net.Floats("low", {}, {0});
  net.Floats("high", {}, {6});
  net.Node("Clip", "act", {"c", "low", "high"}, {"y"});
  ExpectWithinOneStep(Write(net.Save()));
}

TEST(OnnxQdq, GemmKeepsTheOrientationOfItsWeights) {
  for (const bool transposed : {false, true}) {
    ModelWriter net;
    net.Input("x", {5, 7});
    net.Output("y");
    SmallNet weights;
    weights.Weights("w",
                    transposed ? std::vector<std::int64_t>{3, 7} : std::vector<std::int64_t>{7, 3});
    weights.Weights("b", {3});
    for (const auto& tensor : weights.graph().initializer()) {
      *net.graph().add_initializer() = tensor;
    }
    auto& node = net.Node("Gemm", "fc", {"x", "w", "b"}, {"y"});
    ModelWriter::SetInt(node, "transB", transposed ? 1 : 0);
    const Written written = Write(net.Save());
    EXPECT_EQ(written.file.products, 1);
    const auto& initializers = written.proto.graph().initializer();
    const auto found = std::find_if(initializers.begin(), initializers.end(),
                                    [](const auto& t) { return t.name() == "w_quantized"; });
    ASSERT_NE(found, initializers.end());
    EXPECT_EQ(found->data_type(), onnx::TensorProto::INT8);
    EXPECT_EQ(found->dims(0), transposed ? 3 : 7);
    ExpectWithinOneStep(written);
  }
}

TEST(OnnxQdq, MatMulWithABias) {
  for (const bool matrix : {true, false}) {
    ModelWriter net;
    net.Input("x", matrix ? std::vector<std::int64_t>{5, 7} : std::vector<std::int64_t>{2, 5, 7});
    net.Output("y");
    SmallNet weights;
    weights.Weights("w", {7, 3});
    weights.Weights("b", {3});
    for (const auto& tensor : weights.graph().initializer()) {
      *net.graph().add_initializer() = tensor;
    }
    net.Node("MatMul", "fc", {"x", "w"}, {"p"});
    net.Node("Add", "plus", {"p", "b"}, {"y"});
    const Written written = Write(net.Save());
    EXPECT_EQ(written.file.products, 1);
    EXPECT_EQ(written.file.tensors, 2);
    ExpectWithinOneStep(written);
  }
}

TEST(OnnxQdq, AConvTransposeHasScalesAlongItsResultChannels) {
  SmallNet net;
  net.Conv("x", "c");
  net.Weights("w", {8, 3, 2, 2});
  net.Weights("b", {3});
  ModelWriter::SetInts(net.Node("ConvTranspose", "up", {"c", "w", "b"}, {"y"}), "strides", {2, 2});
  const Written written = Write(net.Save());
  EXPECT_EQ(written.file.products, 2);
  const auto& nodes = written.proto.graph().node();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [](const auto& node) {
    return node.op_type() == "DequantizeLinear" && node.input(0) == "w_quantized";
  });
  ASSERT_NE(found, nodes.end());
  ASSERT_EQ(found->attribute_size(), 1);
  EXPECT_EQ(found->attribute(0).name(), "axis");
  EXPECT_EQ(found->attribute(0).i(), 1);
  ExpectWithinOneStep(written);
}

// What a shape makes is a constant for one shape alone: the file keeps the operator that makes it.
TEST(OnnxQdq, WhatAShapeMakesIsNoConstantOfTheFile) {
  ModelWriter net;
  net.Input("x", {2, 4});
  net.Output("y");
  ModelWriter::SetFloat(net.Node("LeakyRelu", "act", {"x"}, {"a"}), "alpha", 0.5F);
  net.Node("Shape", "shape", {"x"}, {"s"});
  net.Node("ConstantOfShape", "zeros", {"s"}, {"z"});
  net.Node("Add", "sum", {"a", "z"}, {"y"});
  const auto model = net.Save();
  const Graph graph = Imported(model);
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    std::ranges::fill(plan.nodes[n].inputs, NumericFormat(DType::kFloat16));
    std::ranges::fill(plan.nodes[n].outputs, NumericFormat(DType::kFloat16));
  }
  onnx::ModelProto proto;
  const QdqModel file = WriteOnnxQdq(model, graph, plan, QdqFlavour::kOrt);
  ASSERT_TRUE(proto.ParseFromString(file.bytes));
  EXPECT_THAT(file.notes, ElementsAre("tensors that come from the shape of an input and are not "
                                      "rounded in the file: 1, the first is 'z'"));
  ExpectValid(proto, graph);
  EXPECT_EQ(proto.graph().initializer_size(), 0);
  const auto& nodes = proto.graph().node();
  EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(),
                          [](const auto& node) { return node.op_type() == "ConstantOfShape"; }));
}

TEST(OnnxQdq, ConcatPoolsAndFunctionsStandBetweenPairs) {
  SmallNet net;
  net.Conv("x", "a");
  net.Conv("x", "b");
  ModelWriter::SetInt(net.Node("Concat", "join", {"a", "b"}, {"j"}), "axis", 1);
  auto& pool = net.Node("MaxPool", "pool", {"j"}, {"m"});
  ModelWriter::SetInts(pool, "kernel_shape", {2, 2});
  ModelWriter::SetInts(pool, "strides", {2, 2});
  net.Node("Sigmoid", "act", {"m"}, {"g"});
  net.Node("GlobalAveragePool", "mean", {"g"}, {"y"});
  const Written written = Write(net.Save());
  EXPECT_EQ(written.file.tensors, 7);
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, AConstantOperandOfASumIsQuantized) {
  SmallNet net;
  net.Weights("c", {1, 4, 1, 1});
  net.Node("Add", "sum", {"x", "c"}, {"y"});
  const Written written = Write(net.Save());
  const auto& initializers = written.proto.graph().initializer();
  EXPECT_TRUE(std::any_of(initializers.begin(), initializers.end(), [](const auto& t) {
    return t.name() == "c_quantized" && t.data_type() == onnx::TensorProto::UINT8;
  }));
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, AFloatResultHasNoPair) {
  SmallNet net;
  net.Conv("x", "y");
  const Written written = Write(net.Save(), [](const Node&) { return "qint8 to float32"; });
  EXPECT_EQ(written.file.tensors, 1);
  EXPECT_EQ(written.proto.graph().node().rbegin()->op_type(), "Conv");
  // The sums are the same integers; float32 adds at most 37 rounded terms of at most 37 in all.
  ExpectWithinOneStep(written, 37 * 37 * 0x1p-24);
}

TEST(OnnxQdq, AFloatOperatorReadsTheRoundedTensor) {
  SmallNet net;
  net.Conv("x", "a");
  ModelWriter::SetInt(net.Node("Softmax", "soft", {"a"}, {"y"}), "axis", 1);
  const Written written =
      Write(net.Save(), [](const Node& node) { return node.op == OpKind::kConv ? "qint8" : ""; });
  const auto& last = *written.proto.graph().node().rbegin();
  EXPECT_EQ(last.op_type(), "Softmax");
  EXPECT_EQ(last.input(0), "a_DequantizeLinear_Output");
  EXPECT_EQ(last.output(0), "y");
}

TEST(OnnxQdq, ShiftsOfBiasCorrectionAreInTheBias) {
  SmallNet net;
  net.Weights("w", {8, 4, 1, 1});
  net.Node("Conv", "conv", {"x", "w"}, {"y"});
  const Written written =
      Write(net.Save(), AllInQInt8, QdqFlavour::kOrt, {}, {}, [](Quantization& quantization) {
        quantization.bias_shifts["conv"] = std::vector<float>(8, 0.25F);
      });
  const auto& nodes = written.proto.graph().node();
  const auto conv = std::find_if(nodes.begin(), nodes.end(),
                                 [](const auto& node) { return node.op_type() == "Conv"; });
  ASSERT_NE(conv, nodes.end());
  EXPECT_EQ(conv->input_size(), 3);
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, NodesThatReadAShapeStayAsTheyAre) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"a"});
  net.Node("Flatten", "flat", {"a"}, {"f"});
  net.Node("Shape", "shape", {"a"}, {"s"});
  net.Node("Identity", "copy", {"s"}, {"t"});
  net.Node("Reshape", "back", {"f", "t"}, {"y"});
  const Written written = Write(net.Save());
  const auto& nodes = written.proto.graph().node();
  const auto back = std::find_if(nodes.begin(), nodes.end(),
                                 [](const auto& node) { return node.name() == "back"; });
  ASSERT_NE(back, nodes.end());
  EXPECT_EQ(back->input(1), "t");
  ExpectWithinOneStep(written);
}

TEST(OnnxQdq, AnOperandThatIsLeftOutStaysSo) {
  SmallNet net;
  net.Conv("x", "a");
  net.Floats("scales", {4}, {1, 1, 2, 2});
  net.Node("Resize", "twice", {"a", "", "scales"}, {"y"});
  ExpectWithinOneStep(Write(net.Save()));
}

TEST(OnnxQdq, ATensorThatAStepFoldsAwayIsNamed) {
  SmallNet net;
  net.Conv("x", "c");
  net.BatchNorm("c", "n");
  net.Node("Flatten", "flat", {"n"}, {"f"});
  net.Node("Shape", "shape", {"c"}, {"s"});
  net.Node("Reshape", "back", {"f", "s"}, {"y"});
  try {
    static_cast<void>(Write(net.Save()));
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("(Shape) reads tensor 'c', which an integer operator "
                                        "folds into itself"));
  }
}

TEST(OnnxQdq, TensorRtHasNoZeroPoints) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"y"});
  const Written written = Write(net.Save(), AllInQInt8, QdqFlavour::kTensorRt);
  std::set<int> types;
  for (const auto& tensor : written.proto.graph().initializer()) {
    types.insert(tensor.data_type());
    if (tensor.name().ends_with("_zero_point")) {
      EXPECT_EQ(tensor.raw_data().find_first_not_of('\0'), std::string::npos) << tensor.name();
    }
  }
  EXPECT_EQ(types, (std::set<int>{onnx::TensorProto::FLOAT, onnx::TensorProto::INT8}));
  ASSERT_EQ(written.file.notes.size(), 1U);
  EXPECT_THAT(written.file.notes[0],
              HasSubstr("the step of 1 of 2 tensors is wider than in the plan, that of 'y' by"));
}

TEST(OnnxQdq, TensorRtSaysWhatASymmetricPlanSays) {
  SmallNet net;
  net.Conv("x", "y");
  const Written written =
      Write(net.Save(), AllInQInt8, QdqFlavour::kTensorRt, {}, {}, [](Quantization& quantization) {
        for (auto& [name, scale] : quantization.activations) {
          const ValueRange range = scale.range();
          scale.scale = static_cast<float>(std::max(-range.low, range.high) / 127);
          scale.zero_point = 128;
        }
      });
  EXPECT_TRUE(written.file.notes.empty());
  ExpectWithinOneStep(written);
}

// The plan rounds weights with BatchNormalization in them: so does the file.
TEST(OnnxQdq, RoundedWeightsAreThoseOfThePlan) {
  SmallNet net;
  net.Conv("x", "c");
  net.BatchNorm("c", "b");
  net.Node("Relu", "act", {"b"}, {"y"});
  const fs::path model = net.Save();
  const Graph graph = Imported(model);
  for (const char* mode : {"force_fp16", "allow_mix_precision_bf16"}) {
    const PrecisionPlan plan = ResolvePrecision(graph, {.precision_mode = mode}, HostTarget());
    const QdqModel file = WriteOnnxQdq(model, graph, plan, QdqFlavour::kOrt);
    EXPECT_THAT(file.losses, IsEmpty());
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(file.bytes));
    testing::ExpectValid(proto, graph);
    std::string types;
    for (const auto& node : proto.graph().node()) {
      types += node.op_type() + " ";
    }
    EXPECT_EQ(types, "Cast Cast Conv Relu Cast Cast ");
    const fs::path path = model.parent_path() / "rounded.onnx";
    WriteFileAtomically(path, file.bytes);
    const Graph read = Imported(path);
    const std::vector<Tensor> inputs = testing::RandomInputs(graph, 1);
    const Tensor exact = Compile(graph, ReferencePlan(graph), {}).Run(inputs).at(0);
    const Tensor of_plan = Compile(graph, plan, {}).Run(inputs).at(0);
    const Tensor of_file =
        Compile(read,
                ResolvePrecision(read, {.precision_mode = "must_keep_origin_dtype"}, HostTarget()),
                {})
            .Run(inputs)
            .at(0);
    // Sums in another order move few results to the next number of the type.
    EXPECT_LT(testing::RelativeDistance(of_plan, of_file),
              testing::RelativeDistance(exact, of_plan) / 8);
  }
}

TEST(OnnxQdq, SixteenBitOperatorsStandBetweenCasts) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Sigmoid", "act", {"c"}, {"y"});
  Written written{.graph = Imported(net.Save())};
  written.samples.push_back(testing::RandomInputs(written.graph, 1));
  written.plan = ReferencePlan(written.graph);
  for (NodePrecision& precision : written.plan.nodes) {
    std::ranges::fill(precision.inputs, DType::kFloat16);
    std::ranges::fill(precision.outputs, DType::kFloat16);
  }
  written.file = WriteOnnxQdq(net.Save(), written.graph, written.plan, QdqFlavour::kOrt);
  ASSERT_TRUE(written.proto.ParseFromString(written.file.bytes));
  ExpectValid(written.proto, written.graph);
  EXPECT_THAT(written.Types(), HasSubstr("Cast Cast"));
  EXPECT_THAT(written.Types(), Not(HasSubstr("QuantizeLinear")));
  written.path = net.Save().replace_filename("rounded.onnx");
  WriteFileAtomically(written.path, written.file.bytes);
  // A sigmoid is below 1: one unit in the last place of float16 is 2^-11. The convolution of 36
  // products, rounded at another order of sums, moves it by less than two more.
  ExpectWithinOneStep(written, 3 * 0x1p-11);
}

}  // namespace
}  // namespace halftone
