// Results whose extents depend on data: their number is that of the sample, their values are those
// of every run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kBool = onnx::TensorProto::BOOL;

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor Bools(const std::vector<bool>& values) {
  Tensor tensor(DType::kBool, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.mutable_values<bool>()[i] = values[i];
  }
  return tensor;
}

ImportOptions WithSample(std::vector<Tensor> inputs) {
  ImportOptions options;
  options.sample = [inputs = std::move(inputs)](const Graph&) { return inputs; };
  return options;
}

// The first output of the graph, node by node.
Tensor OutputOf(const Graph& graph, const std::vector<Tensor>& inputs) {
  Tracer tracer([&](const Graph&) { return inputs; });
  return tracer.ValueOf(graph, graph.outputs.at(0));
}

TEST(RunTimeExtents, NonZeroRuns) {
  ModelWriter writer;
  writer.Input("x", {2, 3});
  writer.Node("Relu", "relu", {"x"}, {"r"});
  writer.Node("NonZero", "where", {"r"}, {"z"});
  writer.Node("Transpose", "turn", {"z"}, {"t"});
  writer.Node("GatherND", "take", {"x", "t"}, {"y"});
  writer.Output("y");
  const ImportResult result = writer.Import(WithSample({Floats({2, 3}, {1, -1, 2, -1, -1, -1})}));
  EXPECT_EQ(NodesOf(result.graph), "Relu[relu] NonZero[where] Transpose[turn] GatherND[take]");
  ASSERT_EQ(result.traced.size(), 1U);
  EXPECT_EQ(result.traced[0].name, "where/count");
  EXPECT_THAT(DoublesOf(result.traced[0].tensor), ElementsAre(2));
  EXPECT_EQ(result.graph.value(result.graph.outputs[0]).type.ToString(), "float32 2");
  // Another sample has other places, and as many.
  EXPECT_THAT(DoublesOf(OutputOf(result.graph, {Floats({2, 3}, {-1, 7, -1, -1, -1, 8})})),
              ElementsAre(7, 8));
}

// Shapes behind it are known as ever.
TEST(RunTimeExtents, TheNumberIsAShape) {
  ModelWriter writer;
  writer.Input("x", {4});
  writer.Node("NonZero", "where", {"x"}, {"z"});
  writer.Node("Shape", "shape", {"z"}, {"s"});
  writer.Node("Expand", "expand", {"x0", "s"}, {"y"});
  writer.Floats("x0", {1}, {5});
  writer.Output("y");
  const ImportResult result = writer.Import(WithSample({Floats({4}, {0, 1, 0, 2})}));
  EXPECT_EQ(result.graph.value(result.graph.outputs[0]).type.ToString(), "float32 1x2");
}

ModelWriter Compressing(bool flat) {
  ModelWriter writer;
  writer.Input("x", {2, 3});
  writer.Input("c", {flat ? 5 : 3}, kBool);
  auto& node = writer.Node("Compress", "choose", {"x", "c"}, {"y"});
  if (!flat) {
    ModelWriter::SetInt(node, "axis", -1);
  }
  writer.Output("y");
  return writer;
}

TEST(RunTimeExtents, CompressIsNonZeroAndGather) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const ImportResult columns =
      Compressing(false).Import(WithSample({x, Bools({true, false, true})}));
  EXPECT_EQ(NodesOf(columns.graph),
            "NonZero[choose/nonzero] Reshape[choose/indices] Gather[choose]");
  EXPECT_EQ(columns.graph.nodes.back().origins.at(0).type, "Compress");
  EXPECT_THAT(DoublesOf(OutputOf(columns.graph, {x, Bools({false, true, true})})),
              ElementsAre(2, 3, 5, 6));
  const ImportResult flat =
      Compressing(true).Import(WithSample({x, Bools({true, false, false, false, true})}));
  EXPECT_THAT(DoublesOf(OutputOf(flat.graph, {x, Bools({false, true, false, true, false})})),
              ElementsAre(2, 4));
}

TEST(RunTimeExtents, ConditionsThatAreTooLongAreRefused) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Input("c", {3}, kBool);
  writer.Node("Compress", "choose", {"x", "c"}, {"y"});
  writer.Output("y");
  try {
    static_cast<void>(
        writer.Import(WithSample({Floats({2}, {1, 2}), Bools({true, false, false})})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 'choose' (Compress): input 'condition': expected one "
                                        "axis of at most 2, got 3"));
  }
}

TEST(RunTimeExtents, NonMaxSuppressionRuns) {
  ModelWriter writer;
  writer.Input("boxes", {1, 3, 4});
  writer.Input("scores", {1, 1, 3});
  writer.Integers("most", {5});
  writer.Floats("overlap", {1}, {0.5});
  writer.Node("NonMaxSuppression", "nms", {"boxes", "scores", "most", "overlap"}, {"y"});
  writer.Output("y");
  const Tensor boxes = Floats({1, 3, 4}, {0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 5, 5, 6, 6});
  const ImportResult result =
      writer.Import(WithSample({boxes, Floats({1, 1, 3}, {0.9F, 0.8F, 0.7F})}));
  EXPECT_EQ(NodesOf(result.graph), "NonMaxSuppression[nms]");
  EXPECT_THAT(DoublesOf(OutputOf(result.graph, {boxes, Floats({1, 1, 3}, {0.1F, 0.8F, 0.9F})})),
              ElementsAre(0, 0, 2, 0, 0, 1));
}

// A model may not say itself how many there are.
TEST(RunTimeExtents, ThePlannedNumberIsNoAttributeOfAModel) {
  ModelWriter writer;
  writer.Input("x", {4});
  ModelWriter::SetInt(writer.Node("NonZero", "where", {"x"}, {"y"}), "planned_count", 2);
  writer.Output("y");
  try {
    static_cast<void>(writer.Import(WithSample({Floats({4}, {0, 1, 0, 2})})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("planned_count"));
  }
}

}  // namespace
}  // namespace halftone
