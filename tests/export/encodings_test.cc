// Encodings of a plan, read back.
#include "src/export/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/export/amct_record.h"
#include "src/export/onnx_encodings.h"
#include "src/quantization/files/proto_text.h"
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

// Schemas of Cloud AI give weights a zero point.
TEST(Encodings, HaveZeroPointsOfWeights) {
  SmallNet net;
  net.Conv("x", "y");
  const WeightScales given{.scales = {0.01F}, .zero_points = {-3}};
  const auto give = [&](Quantization& quantization) { quantization.weights["y_w"] = given; };
  for (const AimetVersion version : {AimetVersion::k100, AimetVersion::k061}) {
    const Encoded encoded = Encode(net, testing::AllInQInt8, version, give);
    EXPECT_EQ(WeightScalesOf(encoded.read.entries.at("y_w")), given);
    EXPECT_THAT(WriteAmctRecord(encoded.graph, encoded.plan).text, HasSubstr("offset_w: -3\n"));
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
  EXPECT_THAT(NotesOf(encoded.file.losses),
              ElementsAre(HasSubstr("factor for each channel"),
                          HasSubstr("bias correction is not in the file: 1, the first is 'c_conv'"),
                          HasSubstr("folded into in the plan")));
}

// ---- 2.0.0

TEST(OnnxEncodings, HasEveryTensorIn8BitsAndBiases) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Softmax", "soft", {"c"}, {"y"});
  const Encoded encoded = Encode(
      net, [](const Node& node) { return node.op == OpKind::kConv ? "qint8" : ""; },
      AimetVersion::k100);
  const ExportedText file = WriteOnnxEncodings(encoded.graph, encoded.plan);
  EXPECT_THAT(file.losses, IsEmpty());
  EXPECT_EQ(file.flags, "--float_bitwidth 32");
  const auto document = nlohmann::json::parse(file.text);
  EXPECT_EQ(document.at("version"), "2.0.0");
  std::map<std::string, nlohmann::json> entries;
  for (const auto& entry : document.at("encodings")) {
    entries[entry.at("name")] = entry;
  }
  EXPECT_THAT(entries, UnorderedElementsAre(Key("x"), Key("c"), Key("c_w"), Key("c_b")));
  // The numbers are those of the other versions, by the convention of ONNX.
  for (const auto& [name, entry] : entries) {
    const TableEntry& other = encoded.read.entries.at(name);
    if (other.scales.size() == 1) {
      EXPECT_EQ(entry.at("output_dtype"), "uint8") << name;
      EXPECT_EQ(entry.at("y_scale").get<float>(), other.scales[0]) << name;
      EXPECT_EQ(entry.at("y_zero_point"), other.zero_points[0]) << name;
    } else {
      EXPECT_EQ(entry.at("output_dtype"), name == "c_b" ? "int32" : "int8") << name;
      EXPECT_EQ(entry.at("y_scale").get<std::vector<float>>(), other.scales) << name;
      EXPECT_EQ(entry.at("axis"), 0) << name;
    }
  }
}

TEST(OnnxEncodings, HasTheAxisOfEachProduct) {
  SmallNet net;
  net.Weights("m", {6, 5});
  net.Node("MatMul", "product", {"x", "m"}, {"y"});
  const Encoded encoded = Encode(net, testing::AllInQInt8, AimetVersion::k100);
  const auto document = nlohmann::json::parse(WriteOnnxEncodings(encoded.graph, encoded.plan).text);
  bool found = false;
  for (const auto& entry : document.at("encodings")) {
    if (entry.at("name") == "m") {
      found = true;
      EXPECT_EQ(entry.at("axis"), 1);
      EXPECT_EQ(entry.at("y_scale").size(), 5U);
    }
  }
  EXPECT_TRUE(found);
}

TEST(OnnxEncodings, HasNothingForAPlanInFloats) {
  SmallNet net;
  net.Conv("x", "y");
  const Encoded encoded = Encode(
      net, [](const Node&) { return ""; }, AimetVersion::k100);
  EXPECT_THROW(static_cast<void>(WriteOnnxEncodings(encoded.graph, encoded.plan)), Error);
}

// ---- AMCT

TEST(AmctRecord, HasTheScalesOfEveryProduct) {
  SmallNet net;
  net.Conv("x", "c");
  net.Node("Softmax", "soft", {"c"}, {"y"});
  Encoded encoded = Encode(
      net, [](const Node& node) { return node.op == OpKind::kConv ? "qint8" : ""; },
      AimetVersion::k100);
  // As AMCT has it: the operand in 8 bits, the result in float16.
  for (NodePrecision& node : encoded.plan.nodes) {
    std::ranges::fill(node.outputs, NumericFormat(DType::kFloat16));
  }
  encoded.plan.nodes[1].inputs[0] = DType::kFloat16;
  const ExportedText file = WriteAmctRecord(encoded.graph, encoded.plan);
  const std::vector<ProtoField> records = ParseProtoText(file.text, "record");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].fields.at(0).text, "c_conv");
  std::map<std::string, std::vector<float>> values;
  for (const ProtoField& field : records[0].fields.at(1).fields) {
    values[field.name].push_back(std::stof(field.text));
  }
  const ActivationScale scale = encoded.plan.quantization->activations.at("x");
  EXPECT_THAT(values["scale_d"], ElementsAre(scale.scale));
  EXPECT_THAT(values["offset_d"], ElementsAre(static_cast<float>(scale.zero_point - 128)));
  EXPECT_EQ(values["scale_w"], encoded.read.entries.at("c_w").scales);
  EXPECT_EQ(values["offset_w"], std::vector<float>(8, 0));
}

TEST(AmctRecord, HasTheScalesOfFoldedWeights) {
  SmallNet net;
  net.Conv("x", "c");
  net.BatchNorm("c", "d");
  net.Conv("d", "e", 8);
  net.SetInts(net.Node("AveragePool", "pool", {"e"}, {"y"}), "kernel_shape", {2, 2});
  Encoded encoded = Encode(net, testing::AllInQInt8, AimetVersion::k100);
  // One layer hands float16 to the next, which reads it in 8 bits.
  encoded.plan.nodes[1].outputs[0] = DType::kFloat16;
  EXPECT_FALSE(encoded.read.entries.contains("c_w"));
  const ExportedText file = WriteAmctRecord(encoded.graph, encoded.plan);
  EXPECT_THAT(file.losses, IsEmpty());
  EXPECT_THAT(file.text, HasSubstr("key: \"c_conv\""));
  EXPECT_THAT(file.text, HasSubstr("key: \"e_conv\""));
  EXPECT_EQ(ParseProtoText(file.text, "record").at(0).fields.at(1).fields.size(), 2U + 8U + 8U);
  EXPECT_EQ(ParseProtoText(file.text, "record").at(2).fields.at(0).text, "pool");
  EXPECT_EQ(ParseProtoText(file.text, "record").at(2).fields.at(1).fields.size(), 2U);
}

}  // namespace
}  // namespace halftone
