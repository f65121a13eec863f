// Tensors with channel factors in a written file: divided by them where integers compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "src/export/onnx_qdq.h"
#include "tests/export/written_model.h"

namespace halftone {
namespace {

using testing::AllInQInt8;
using testing::ExpectWithinOneStep;
using testing::FormatOf;
using ::testing::HasSubstr;
using testing::ModelWriter;
using ::testing::Not;
using testing::SmallNet;
using testing::Write;
using testing::Written;

using Change = std::function<void(Quantization&)>;

// Powers of two: a file that is right gives the bits of its plan, because multiplying by a factor,
// or dividing by it, rounds nothing.
constexpr float kFactors[] = {1, 2, 0.5F, 4, 0.5F, 2, 1, 8};
constexpr double kLeastFactor = 0.5;
constexpr double kNoStep = std::numeric_limits<double>::min();

// Tensors have the factors along `axis`, their first `channels`.
void GiveFactors(Quantization& quantization, const std::vector<std::string>& names, int axis = 1,
                 std::size_t channels = 8) {
  for (const std::string& name : names) {
    quantization.channel_factors[name] = {.axis = axis, .factors = {kFactors, kFactors + channels}};
    quantization.activations.at(name).scale /= static_cast<float>(kLeastFactor);
  }
}

Change Factors(const std::vector<std::string>& names, int axis = 1, std::size_t channels = 8) {
  return [=](Quantization& quantization) { GiveFactors(quantization, names, axis, channels); };
}

// As Factors(), and all of `names` have the scale of the first, so that they are kept.
Change KeptFactors(const std::vector<std::string>& names) {
  return [=](Quantization& quantization) {
    for (const std::string& name : names) {
      quantization.activations[name] = quantization.activations.at(names[0]);
    }
    GiveFactors(quantization, names);
  };
}

Written WriteWith(ModelWriter& net, const Change& change, const FormatOf& formats = AllInQInt8,
                  QdqFlavour flavour = QdqFlavour::kOrt) {
  return Write(net.Save(), formats, flavour, {}, {}, change);
}

std::ptrdiff_t Count(const Written& written, std::string_view type) {
  const auto& nodes = written.proto.graph().node();
  return std::count_if(nodes.begin(), nodes.end(),
                       [&](const auto& node) { return node.op_type() == type; });
}

// Nodes that multiply channels and that divide them.
void ExpectScaledChannels(const Written& written, std::ptrdiff_t muls, std::ptrdiff_t divs) {
  EXPECT_EQ(Count(written, "Mul"), muls) << written.Types();
  EXPECT_EQ(Count(written, "Div"), divs) << written.Types();
}

void AddGemm(SmallNet& net, const char* x, const char* y) {
  net.Weights("fc_w", {8, 3});
  net.Weights("fc_b", {3});
  net.Node("Gemm", "fc", {x, "fc_w", "fc_b"}, {y});
}

// A product makes them, MaxPool keeps them, a product and a float function read them.
TEST(FactorsQdq, AreInWeightsAndScales) {
  SmallNet net;
  net.Conv("x", "a");
  net.Node("Relu", "r", {"a"}, {"b"});
  ModelWriter::SetInts(net.Node("MaxPool", "pool", {"b"}, {"c"}), "kernel_shape", {2, 2});
  net.Conv("c", "d", 8);
  net.Node("Sigmoid", "s", {"c"}, {"e"});
  net.Node("Add", "sum", {"d", "e"}, {"y"});
  const Written written = WriteWith(net, KeptFactors({"b", "c"}), [](const Node& node) {
    return node.name == "s" ? "" : "qint8";
  });
  EXPECT_EQ(written.file.products, 2);
  ExpectScaledChannels(written, 1, 0);  // for the function
  ExpectWithinOneStep(written, kNoStep);
}

TEST(FactorsQdq, OfInputsAndOutputsStandInNodesOfTheirOwn) {
  SmallNet net;
  net.Conv("x", "y");
  const Written written = WriteWith(net, [](Quantization& quantization) {
    GiveFactors(quantization, {"x"}, 1, 4);
    GiveFactors(quantization, {"y"});
  });
  EXPECT_EQ(written.proto.graph().output(0).name(), "y");
  EXPECT_EQ(written.Types(),
            "Div QuantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear Conv "
            "QuantizeLinear DequantizeLinear Mul");
  ExpectWithinOneStep(written, kNoStep);
}

// The largest step of a tensor with the factors: one integer in the channel of the largest factor.
double LargestStep(const Written& written, const std::string& name) {
  const auto scale = written.plan.quantization->activations.at(name).scale;
  return static_cast<double>(scale * *std::ranges::max_element(kFactors));
}

// Float32 and integers round a mean apart where it lies in the middle of two integers.
TEST(FactorsQdq, OfAMeanAreKept) {
  SmallNet net;
  net.Conv("x", "a");
  net.Node("GlobalAveragePool", "mean", {"a"}, {"y"});
  const Written written = WriteWith(net, KeptFactors({"a", "y"}));
  ExpectScaledChannels(written, 1, 0);  // for the output
  ExpectWithinOneStep(written, LargestStep(written, "y"));
}

TEST(FactorsQdq, OfAnAveragePoolAreKept) {
  SmallNet net;
  net.Conv("x", "a");
  ModelWriter::SetInts(net.Node("AveragePool", "mean", {"a"}, {"y"}), "kernel_shape", {2, 2});
  const Written written = WriteWith(net, KeptFactors({"a", "y"}));
  ExpectScaledChannels(written, 1, 0);
  ExpectWithinOneStep(written, LargestStep(written, "y"));
}

// The node computes with the tensors themselves.
TEST(FactorsQdq, OfAFunctionByATableStandAroundIt) {
  SmallNet net;
  net.Conv("x", "a");
  net.Node("Sigmoid", "f", {"a"}, {"b"});
  net.Conv("b", "y", 8);
  const Written written = WriteWith(net, Factors({"a", "b"}));
  EXPECT_EQ(written.file.products, 2);
  ExpectScaledChannels(written, 1, 1);
  ExpectWithinOneStep(written);
}

// A pool that rounds nothing, a view and a product.
TEST(FactorsQdq, GoThroughAClassifierHead) {
  SmallNet net;
  net.Conv("x", "a");
  ModelWriter::SetInts(net.Node("MaxPool", "pool", {"a"}, {"b"}), "kernel_shape", {6, 6});
  net.Node("Flatten", "flat", {"b"}, {"c"});
  AddGemm(net, "c", "y");
  const Written written = WriteWith(net, KeptFactors({"a", "b", "c"}));
  EXPECT_EQ(written.file.products, 2);
  ExpectScaledChannels(written, 0, 0);
  ExpectWithinOneStep(written, kNoStep);
}

// Factors of the mean alone, or of the view alone, are multiplied in and divided out beside it.
TEST(FactorsQdq, OfOneTensorOfAHeadStandBesideIt) {
  for (const char* name : {"a", "b", "c"}) {
    SmallNet net;
    net.Conv("x", "a");
    ModelWriter::SetInts(net.Node("MaxPool", "pool", {"a"}, {"b"}), "kernel_shape", {6, 6});
    net.Node("Flatten", "flat", {"b"}, {"c"});
    AddGemm(net, "c", "y");
    ExpectWithinOneStep(WriteWith(net, KeptFactors({name})), kNoStep);
  }
}

TEST(FactorsQdq, FollowATranspose) {
  SmallNet net;
  net.Conv("x", "a");
  ModelWriter::SetInts(net.Node("Transpose", "turn", {"a"}, {"b"}), "perm", {0, 2, 3, 1});
  net.Weights("w", {8, 3});
  net.Node("MatMul", "fc", {"b", "w"}, {"y"});
  const Written written = WriteWith(net, [](Quantization& quantization) {
    quantization.activations["b"] = quantization.activations.at("a");
    GiveFactors(quantization, {"a"});
    GiveFactors(quantization, {"b"}, 3);
  });
  EXPECT_EQ(written.file.products, 2);
  ExpectScaledChannels(written, 0, 0);
  ExpectWithinOneStep(written, kNoStep);
}

// The file has two nodes where the plan has one view.
TEST(FactorsQdq, OfAViewOfTwoNodesAreMultipliedInBetween) {
  SmallNet net;
  net.Conv("x", "a");
  net.Integers("flat", {1, 8, 36});
  net.Integers("wide", {1, 8, 4, 9});
  net.Node("Reshape", "first", {"a", "flat"}, {"m"});
  net.Node("Reshape", "second", {"m", "wide"}, {"b"});
  net.Conv("b", "y", 8);
  const Written written = WriteWith(net, [](Quantization& quantization) {
    quantization.activations["b"] = quantization.activations.at("a");
    if (quantization.activations.contains("m")) {
      quantization.activations["m"] = quantization.activations.at("a");
    }
    GiveFactors(quantization, {"a", "b"});
  });
  ExpectWithinOneStep(written, kNoStep);
}

TEST(FactorsQdq, OperatorsOnFloatsReadTheTensorItself) {
  SmallNet net;
  net.Conv("x", "a");
  net.Conv("x", "b");
  net.Node("Sigmoid", "s", {"a"}, {"c"});
  net.Node("Add", "sum", {"a", "c"}, {"d"});
  ModelWriter::SetInt(net.Node("Concat", "join", {"d", "b"}, {"y"}), "axis", 1);
  const Written written = WriteWith(net, Factors({"a", "b", "c", "d"}));
  // a, b, c, d are read; c, d are made.
  ExpectScaledChannels(written, 4, 2);
  ExpectWithinOneStep(written);
}

TEST(FactorsQdq, OfAFloatResultStandInItsReader) {
  SmallNet net;
  net.Conv("x", "a");
  net.Conv("a", "y", 8);
  const Written written = WriteWith(net, Factors({"a"}), [](const Node& node) {
    return node.name == "a_conv" ? "qint8 to float32" : "qint8";
  });
  ExpectScaledChannels(written, 0, 1);
  // The sums are those of the plan, their float32 values may differ by a rounding; it moves few
  // numbers by a step of `a`, at most 8 of float32's 2^24.
  ExpectWithinOneStep(written);
}

TEST(FactorsQdq, AResultThatIsReadTooIsMultipliedOnce) {
  SmallNet net;
  net.Conv("x", "y");
  net.Output("z");
  net.Output("t");
  net.Conv("y", "z", 8);
  net.Node("Sigmoid", "s", {"y"}, {"t"});
  const Written written = WriteWith(net, Factors({"y"}));
  ExpectScaledChannels(written, 1, 0);
  ExpectWithinOneStep(written);
}

// The result of a Clip, its range given: [low, high] of the network and of the integers.
Written WriteClip(float low, float high, QdqFlavour flavour, const Change& change) {
  SmallNet net;
  net.Conv("x", "a");
  net.Floats("low", {}, {low});
  net.Floats("high", {}, {high});
  net.Node("Clip", "clip", {"a", "low", "high"}, {"y"});
  return WriteWith(net, change, AllInQInt8, flavour);
}

// Numbers from -zero_point to 255 - zero_point.
Change BoundsOfY(std::int32_t zero_point) {
  return [=](Quantization& quantization) {
    quantization.activations.at("y") = {.scale = 0.01F, .zero_point = zero_point};
    quantization.channel_factors["y"] = {.axis = 1, .factors = std::vector<float>(8, 1)};
  };
}

TEST(FactorsQdq, BoundsOfClipThatIntegersHaveAreLeftOut) {
  const Written written = WriteClip(-2, 0.6F, QdqFlavour::kOrt, BoundsOfY(200));
  EXPECT_EQ(Count(written, "Clip"), 0) << written.Types();
  ExpectWithinOneStep(written, kNoStep);
}

TEST(FactorsQdq, BoundsOfClipThatOnlyAZeroPointHasAreNamedForTensorRt) {
  try {
    static_cast<void>(WriteClip(-2, 0.6F, QdqFlavour::kTensorRt, BoundsOfY(200)));
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("has a Clip that stands in the zero point of its result"));
  }
  const Written relu = WriteClip(0, 3, QdqFlavour::kTensorRt, BoundsOfY(0));
  EXPECT_THAT(relu.Types(), HasSubstr("Relu"));
  EXPECT_THAT(relu.Types(), Not(HasSubstr("Clip")));
}

}  // namespace
}  // namespace halftone
