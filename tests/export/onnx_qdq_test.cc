// The written file, read back, gives what the plan gives.
#include "src/export/onnx_qdq.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cmath>
#include <functional>
#include <set>

#include "src/base/file.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/passes.h"
#include "tests/support/evaluate.h"
#include "tests/support/model_writer.h"
#include "tests/support/paths.h"
#include "tests/support/quantized_plan.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ModelWriter;

Graph Imported(const fs::path& model, const ImportOptions& options = {}) {
  Graph graph = ReadOnnx(model, options);
  Canonicalize(graph);
  return graph;
}

// A model with a plan, and the same as a file.
struct Written {
  Graph graph;
  PrecisionPlan plan;
  QdqModel file;
  onnx::ModelProto proto;
  fs::path path;
  std::vector<std::vector<Tensor>> samples;

  // Every output of the plan and of the file on a sample.
  [[nodiscard]] std::pair<std::vector<Tensor>, std::vector<Tensor>> Run(
      std::size_t sample, const ImportOptions& options = {}) const {
    const Graph read = Imported(path, options);
    return {Compile(graph, plan, {}).Run(samples.at(sample)),
            Compile(read, ReferencePlan(read), {}).Run(samples.at(sample))};
  }

  [[nodiscard]] std::string Types() const {
    std::string text;
    for (const auto& node : proto.graph().node()) {
      text += (text.empty() ? "" : " ") + node.op_type();
    }
    return text;
  }
};

using FormatOf = std::function<std::string(const Node&)>;

std::string AllInQInt8(const Node& /*node*/) {
  return "qint8";
}

// By ONNX's own checker, and its inference of types and shapes with errors. Newer opsets than the
// library has are not checked. Small networks do not say the types of their outputs.
void ExpectValid(const onnx::ModelProto& proto, const Graph& graph) {
  if (proto.opset_import(0).version() >
      onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second) {
    return;
  }
  onnx::ModelProto checked = proto;
  for (int i = 0; i < checked.graph().output_size(); ++i) {
    auto& output = *checked.mutable_graph()->mutable_output(i);
    if (!output.has_type()) {
      const TensorType& type = graph.value(graph.outputs[static_cast<std::size_t>(i)]).type;
      ModelWriter::Describe(output, output.name(), type.shape.dims(), onnx::TensorProto::FLOAT);
    }
  }
  EXPECT_NO_THROW(onnx::checker::check_model(checked));
  const onnx::ShapeInferenceOptions strict(true, 1, true);
  EXPECT_NO_THROW(
      onnx::shape_inference::InferShapes(checked, onnx::OpSchemaRegistry::Instance(), strict));
}

Written Write(const fs::path& model, const FormatOf& format_of = AllInQInt8,
              QdqFlavour flavour = QdqFlavour::kOrt, std::vector<std::vector<Tensor>> samples = {},
              const ImportOptions& options = {},
              const std::function<void(Quantization&)>& change = {}) {
  Written written{.graph = Imported(model, options)};
  written.samples = std::move(samples);
  if (written.samples.empty()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      written.samples.push_back(testing::RandomInputs(written.graph, seed));
    }
  }
  Quantization quantization = testing::RangesOn(written.graph, written.samples);
  if (change) {
    change(quantization);
  }
  written.plan = testing::PlanIn(written.graph, std::move(quantization), format_of);
  written.file = WriteOnnxQdq(model, written.graph, written.plan, flavour);
  EXPECT_TRUE(written.proto.ParseFromString(written.file.bytes));
  ExpectValid(written.proto, written.graph);
  written.path = fs::path(model).replace_extension(".qdq.onnx");
  if (written.path == model || !model.has_extension()) {
    written.path = fs::path(::testing::TempDir()) / (model.filename().string() + ".qdq.onnx");
  }
  WriteFileAtomically(written.path, written.file.bytes);
  return written;
}

// Steps of the output between both; its scale is that of the plan, `fallback` for a float output.
void ExpectWithinOneStep(const Written& written, double fallback = 0) {
  for (std::size_t s = 0; s < written.samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s);
    ASSERT_EQ(of_plan.size(), of_file.size());
    for (std::size_t i = 0; i < of_plan.size(); ++i) {
      const std::string& name = written.graph.value(written.graph.outputs[i]).name;
      double step = fallback;
      if (step == 0) {
        step = static_cast<double>(written.plan.quantization->activations.at(name).scale);
      }
      ASSERT_EQ(of_plan[i].type(), of_file[i].type()) << name;
      const std::vector<double> a = DoublesOf(of_plan[i]);
      const std::vector<double> b = DoublesOf(of_file[i]);
      for (std::size_t k = 0; k < a.size(); ++k) {
        // The file has the product of step and integer rounded once: 2^-23 of it.
        ASSERT_LE(std::abs(a[k] - b[k]), step * (1 + 0x1p-14)) << name << "[" << k << "]";
      }
    }
  }
}

// A network of one or a few nodes on an image [1, 4, 6, 6] called x; its output is y.
struct SmallNet : ModelWriter {
  explicit SmallNet(std::int64_t opset = 17) : ModelWriter(opset) {
    Input("x", {1, 4, 6, 6});
    Output("y");
  }

  void Weights(const std::string& name, const std::vector<std::int64_t>& dims, double low = -1,
               double high = 1) {
    Rng rng(Hasher().Add(name).Finish().low);
    const Tensor tensor = testing::RandomTensor({DType::kFloat32, Shape(dims)}, rng, low, high);
    const auto values = tensor.values<float>();
    Floats(name, dims, {values.begin(), values.end()});
  }

  // y of 8 channels from an input, with a bias.
  void Conv(const char* x, const char* y, std::int64_t inputs = 4) {
    const std::string w = std::string(y) + "_w";
    const std::string b = std::string(y) + "_b";
    Weights(w, {8, inputs, 3, 3});
    Weights(b, {8});
    auto& node = Node("Conv", std::string(y) + "_conv", {x, w.c_str(), b.c_str()}, {y});
    SetInts(node, "pads", {1, 1, 1, 1});
  }

  void BatchNorm(const char* x, const char* y) {
    Weights("bn_scale", {8});
    Weights("bn_bias", {8});
    Weights("bn_mean", {8});
    Weights("bn_var", {8}, 0.1, 2);
    Node("BatchNormalization", "bn", {x, "bn_scale", "bn_bias", "bn_mean", "bn_var"}, {y});
  }
};

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

std::function<void(Quantization&)> WithFactors(const std::vector<std::string>& names) {
  return [names](Quantization& quantization) {
    for (const std::string& name : names) {
      quantization.channel_factors[name] = {.axis = 1,
                                            .factors = {1, 2, 0.5F, 0.7F, 1.5F, 1.2F, 0.9F, 3}};
      quantization.channel_factors[name].factors.resize(name == "x" ? 4 : 8);
      quantization.activations[name].scale *= 2;  // 0.5 is the least factor
    }
  };
}

// A product makes them, MaxPool keeps them, a product, a function and an output read them.
TEST(OnnxQdq, ChannelFactorsAreInWeightsAndScales) {
  SmallNet net;
  net.Conv("x", "a");
  net.Node("Relu", "r", {"a"}, {"b"});
  ModelWriter::SetInts(net.Node("MaxPool", "pool", {"b"}, {"c"}), "kernel_shape", {2, 2});
  net.Conv("c", "d", 8);
  net.Node("Sigmoid", "s", {"c"}, {"e"});
  net.Node("Add", "sum", {"d", "e"}, {"y"});
  const Written written = Write(
      net.Save(), [](const Node& node) { return node.name == "s" ? "" : "qint8"; },
      QdqFlavour::kOrt, {}, {},
      [](Quantization& quantization) {
        quantization.activations["c"] = quantization.activations["b"];
        WithFactors({"b", "c"})(quantization);
      });
  EXPECT_EQ(written.file.products, 2);
  ExpectWithinOneStep(written);
  const std::string types = written.Types();
  EXPECT_EQ(types.find("Mul"), types.rfind("Mul")) << types << ": for the function alone";
}

TEST(OnnxQdq, ChannelFactorsOfInputsAndOutputsAreMultipliedIn) {
  SmallNet net;
  net.Conv("x", "y");
  const Written written =
      Write(net.Save(), AllInQInt8, QdqFlavour::kOrt, {}, {}, WithFactors({"x", "y"}));
  EXPECT_EQ(written.proto.graph().output(0).name(), "y");
  ExpectWithinOneStep(
      written, 3 * static_cast<double>(written.plan.quantization->activations.at("y").scale));
  EXPECT_EQ(written.Types(),
            "Mul QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv "
            "QuantizeLinear DequantizeLinear Mul");
}

TEST(OnnxQdq, AnOldModelIsRaised) {
  SmallNet net(7);
  net.model.set_ir_version(3);
  net.Conv("x", "a");
  auto& clip = net.Node("Clip", "clip", {"a"}, {"c"});
  ModelWriter::SetFloat(clip, "min", 0);
  ModelWriter::SetFloat(clip, "max", 3);
  auto& pad = net.Node("Pad", "pad", {"c"}, {"p"});
  ModelWriter::SetInts(pad, "pads", {0, 0, 1, 1, 0, 0, 1, 1});
  net.Node("GlobalAveragePool", "mean", {"p"}, {"m"});
  net.Node("Dropout", "drop", {"m"}, {"d"});
  ModelWriter::SetInts(net.Node("Squeeze", "squeeze", {"d"}, {"q"}), "axes", {2, 3});
  net.Node("Softmax", "soft", {"q"}, {"y"});
  const Written written = Write(
      net.Save(), [](const Node& node) { return node.op == OpKind::kSoftmax ? "" : "qint8"; });
  EXPECT_EQ(written.file.opset, 13);
  EXPECT_EQ(written.proto.ir_version(), 7);
  // One step of the pooled values moves a softmax by at most that step.
  ExpectWithinOneStep(written,
                      static_cast<double>(written.plan.quantization->activations.at("m").scale));
}

TEST(OnnxQdq, AnOperatorThatHasNoNewFormIsNamed) {
  SmallNet net(9);
  net.Conv("x", "a");
  net.Node("Odd", "odd", {"a"}, {"y"});
  SmallNet plain(9);
  plain.Conv("x", "a");
  plain.Node("Relu", "act", {"a"}, {"y"});
  const Graph graph = Imported(plain.Save());
  const PrecisionPlan plan = ReferencePlan(graph);
  const fs::path file = net.Save();
  try {
    (void)WriteOnnxQdq(file, graph, plan, QdqFlavour::kOrt);
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "node 'odd' (Odd) of opset 9: halftone has no form of it for opset 13, "
                 "which scales per channel need; convert the model to opset 13 first");
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

// Networks of the shared collection, where they are.
class RealQdq : public ::testing::TestWithParam<const char*> {};

bool IsKeptInFloat(const Node& node) {
  return node.op == OpKind::kSoftmax;
}

TEST_P(RealQdq, ReadBackGivesThePlan) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam();
  std::vector<std::vector<Tensor>> samples;
  for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i) {
    samples.push_back(
        {ReadTensorProto(folder / ("test_data_set_" + std::to_string(i)) / "input_0.pb")});
  }
  ImportOptions options;
  const Graph shape_of = Imported(folder);
  options.input_shapes[shape_of.value(shape_of.inputs[0]).name] = samples[0][0].shape().dims();
  const Written written = Write(
      folder, [](const Node& node) { return IsKeptInFloat(node) ? "" : "qint8"; }, QdqFlavour::kOrt,
      samples, options);
  EXPECT_TRUE(written.file.notes.empty());
  // A step of the last quantised tensor; a Softmax behind it moves by at most half of that.
  const Node& last = written.graph.nodes.back();
  const ValueId quantized = IsKeptInFloat(last) ? last.inputs[0] : last.outputs[0];
  const double step = static_cast<double>(
      written.plan.quantization->activations.at(written.graph.value(quantized).name).scale);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s, options);
    const std::vector<double> a = DoublesOf(of_plan[0]);
    const std::vector<double> b = DoublesOf(of_file[0]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k], b[k], step) << "sample " << s << " [" << k << "]";
    }
    EXPECT_EQ(std::ranges::max_element(a) - a.begin(), std::ranges::max_element(b) - b.begin());
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, RealQdq, ::testing::Values("squeezenet", "mnist", "micro-kws"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
