// Encodings of a plan, read back.
#include "src/export/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/export/written_model.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Imported;
using ::testing::IsEmpty;
using ::testing::Key;
using testing::SmallNet;
using ::testing::UnorderedElementsAre;
using Grid = TableEntry::Grid;

struct Encoded {
  Graph graph;
  PrecisionPlan plan;
  ExportedText file;
  RangeTable read;
};

Encoded Encode(const SmallNet& net, const testing::FormatOf& format_of, AimetVersion version,
               const std::function<void(Quantization&)>& change = {}) {
  Encoded encoded{.graph = Imported(net.Save())};
  const std::vector<std::vector<Tensor>> samples = {testing::RandomInputs(encoded.graph, 1)};
  Quantization quantization = testing::RangesOn(encoded.graph, samples);
  if (change) {
    change(quantization);
  }
  encoded.plan = testing::PlanIn(encoded.graph, std::move(quantization), format_of);
  encoded.file = WriteEncodings(encoded.graph, encoded.plan, version);
  encoded.read = ParseRangeTable(encoded.file.text, "encodings");
  return encoded;
}

TEST(Encodings, EveryTensorHasTheScaleOfThePlan) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Softmax", "soft", {"c"}, {"y"});
  for (const AimetVersion version : {AimetVersion::k100, AimetVersion::k061}) {
    const Encoded encoded = Encode(
        net, [](const Node& node) { return node.op == OpKind::kConv ? "qint8" : ""; }, version);
    EXPECT_EQ(encoded.read.kind, "aimet");
    EXPECT_THAT(encoded.read.entries,
                UnorderedElementsAre(Key("x"), Key("c"), Key("c_w"), Key("y"), Key("c_b")));
    for (const char* name : {"x", "c"}) {
      EXPECT_EQ(ActivationScaleOf(encoded.read.entries.at(name)),
                encoded.plan.quantization->activations.at(name))
          << name;
    }
    EXPECT_EQ(encoded.read.entries.at("y").grid, Grid::kFloat);
    EXPECT_EQ(encoded.read.entries.at("y").bits, 32);
    // A scale for each of 8 channels: the largest magnitude / 127.
    const std::optional<WeightScales> weights = WeightScalesOf(encoded.read.entries.at("c_w"));
    ASSERT_TRUE(weights.has_value());
    ASSERT_EQ(weights->scales.size(), 8U);
    const auto values =
        encoded.graph.value(encoded.graph.nodes[0].inputs[1]).constant->values<float>();
    float largest = 0;
    for (const float value : values.first(values.size() / 8)) {
      largest = std::max(largest, std::abs(value));
    }
    EXPECT_EQ(weights->scales[0], largest / 127);
    const TableEntry& bias = encoded.read.entries.at("c_b");
    EXPECT_EQ(bias.bits, 32);
    EXPECT_EQ(bias.scales.at(0),
              encoded.plan.quantization->activations.at("x").scale * weights->scales[0]);
    EXPECT_THAT(encoded.file.losses, IsEmpty());
    EXPECT_THAT(encoded.file.notes, IsEmpty());
  }
}

TEST(Encodings, SixteenBitsAreFloats) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Relu", "act", {"c"}, {"y"});
  Encoded encoded = Encode(
      net, [](const Node&) { return ""; }, AimetVersion::k100);
  for (NodePrecision& node : encoded.plan.nodes) {
    std::ranges::fill(node.inputs, NumericFormat(DType::kFloat16));
    std::ranges::fill(node.outputs, NumericFormat(DType::kFloat16));
  }
  encoded.plan.nodes[1].outputs[0] = DType::kBFloat16;
  const ExportedText file = WriteEncodings(encoded.graph, encoded.plan, AimetVersion::k100);
  const RangeTable read = ParseRangeTable(file.text, "encodings");
  EXPECT_EQ(read.entries.at("c").grid, Grid::kFloat);
  EXPECT_EQ(read.entries.at("c").bits, 16);
  EXPECT_EQ(read.entries.at("c_w").bits, 16);
  EXPECT_THAT(NotesOf(file.losses), ElementsAre(HasSubstr("tensors in bfloat16")));
}

TEST(Encodings, SayWhatTheyDoNotHave) {
  SmallNet net;
  net.Conv("x", "c");
  net.BatchNorm("c", "y");
  const Encoded encoded =
      Encode(net, testing::AllInQInt8, AimetVersion::k100, [](Quantization& quantization) {
        quantization.channel_factors["x"] = {.axis = 1, .factors = {1, 2, 4, 8}};
        quantization.bias_shifts["c_conv"] = std::vector<float>(8, 0.5F);
      });
  EXPECT_THAT(
      NotesOf(encoded.file.losses),
      ElementsAre(HasSubstr("factor for each channel"), HasSubstr("folded into in the plan"),
                  HasSubstr("bias correction is not in the file: 1, the first is 'c_conv'")));
}

}  // namespace
}  // namespace halftone
