// Models of older opsets as opset 13.
#include "src/export/raise_opset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <utility>

#include "src/base/error.h"
#include "tests/export/written_model.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::ExpectWithinOneStep;
using testing::Imported;
using testing::ModelWriter;
using testing::SmallNet;
using testing::Write;
using testing::Written;

// Both models on random inputs: the same bits.
void ExpectSameResults(const SmallNet& net, const Graph& graph) {
  onnx::ModelProto raised = net.model;
  RaiseOpset(raised, graph);
  EXPECT_EQ(raised.opset_import(0).version(), kQdqOpset);
  testing::ExpectValid(raised, graph);
  const fs::path path = net.Save().replace_filename("raised.onnx");
  WriteFileAtomically(path, raised.SerializeAsString());
  const Graph read = Imported(path);
  const std::vector<Tensor> inputs = testing::RandomInputs(graph, 1);
  const std::vector<Tensor> before = Compile(graph, ReferencePlan(graph), {}).Run(inputs);
  const std::vector<Tensor> after = Compile(read, ReferencePlan(read), {}).Run(inputs);
  ASSERT_EQ(before.at(0).type(), after.at(0).type());
  EXPECT_EQ(DoublesOf(before[0]), DoublesOf(after[0]));
}

// One node of an old opset on x, [1, 4, 6, 6].
struct OldNode {
  const char* type;
  std::int64_t opset;
  std::vector<std::pair<const char*, std::vector<std::int64_t>>> ints;
  std::vector<std::pair<const char*, std::int64_t>> integers = {};
  std::vector<std::pair<const char*, float>> floats = {};
  std::vector<float> scales = {};  // attribute of Upsample

  friend std::ostream& operator<<(std::ostream& out, const OldNode& node) {
    return out << node.type << " of opset " << node.opset;
  }
};

const OldNode kOldNodes[] = {
    {"Softmax", 7, {}, {{"axis", 1}}},
    {"Softmax", 12, {}, {{"axis", 3}}},
    {"LogSoftmax", 11, {}, {{"axis", 2}}},
    {"Clip", 7, {}, {}, {{"min", -0.5F}, {"max", 0.25F}}},
    {"Clip", 10, {}, {}, {{"max", 0.25F}}},
    {"Pad", 7, {{"pads", {0, 0, 1, 2, 0, 0, 0, 1}}}, {}, {{"value", 0.5F}}},
    {"Slice", 9, {{"starts", {1, 2}}, {"ends", {3, 5}}, {"axes", {1, 3}}}},
    {"Unsqueeze", 12, {{"axes", {0, 3}}}},
    {"Squeeze", 11, {{"axes", {0}}}},
    {"ReduceSum", 12, {{"axes", {2, 3}}}, {{"keepdims", 0}}},
    {"Upsample", 7, {}, {}, {}, {1, 1, 2, 3}},
    {"Dropout", 7, {}, {}, {{"ratio", 0.5F}}},
};

class RaisedNode : public ::testing::TestWithParam<OldNode> {};

TEST_P(RaisedNode, GivesTheSame) {
  const OldNode& old = GetParam();
  SmallNet net(old.opset);
  net.model.set_ir_version(3);
  auto& node = net.Node(old.type, "old", {"x"}, {"y"});
  for (const auto& [name, values] : old.ints) {
    ModelWriter::SetInts(node, name, values);
  }
  for (const auto& [name, value] : old.integers) {
    ModelWriter::SetInt(node, name, value);
  }
  for (const auto& [name, value] : old.floats) {
    ModelWriter::SetFloat(node, name, value);
  }
  if (!old.scales.empty()) {
    ModelWriter::SetFloats(node, "scales", old.scales);
  }
  ExpectSameResults(net, Imported(net.Save()));
}

INSTANTIATE_TEST_SUITE_P(Table, RaisedNode, ::testing::ValuesIn(kOldNodes), [](const auto& c) {
  return std::string(c.param.type) + "_" + std::to_string(c.index);
});

// Opset 13 has no such places.
TEST(RaiseOpset, TfHalfPixelBecomesHalfPixel) {
  for (const char* const rounding : {"floor", "round_prefer_floor", "ceil"}) {
    for (const float scale : {2.5F, 1.6F, 0.7F, 2.0F}) {
      SmallNet net(11);
      net.Floats("scales", {4}, {1, 1, scale, scale});
      net.Floats("none", {0}, {});
      auto& node = net.Node("Resize", "resize", {"x", "none", "scales"}, {"y"});
      ModelWriter::SetText(node, "coordinate_transformation_mode", "tf_half_pixel_for_nn");
      ModelWriter::SetText(node, "nearest_mode", rounding);
      if (std::string_view(rounding) == "ceil") {
        const Graph graph = Imported(net.Save());
        EXPECT_THROW(RaiseOpset(net.model, graph), Error);
      } else {
        ExpectSameResults(net, Imported(net.Save()));
      }
    }
  }
}

TEST(RaiseOpset, ABatchNormalizationLosesSpatial) {
  SmallNet net(8);
  net.Conv("x", "c");
  net.BatchNorm("c", "y");
  ModelWriter::SetInt(*net.graph().mutable_node(1), "spatial", 1);
  ExpectSameResults(net, Imported(net.Save()));
}

TEST(RaiseOpset, AnOldModelIsRaised) {
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

TEST(RaiseOpset, AnOperatorThatHasNoNewFormIsNamed) {
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

}  // namespace
}  // namespace halftone
