// AffineGrid and Unique as the operators that they are made of.
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

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

std::vector<double> OutputOf(const Graph& graph, const Tensor& x, std::size_t output = 0) {
  Tracer tracer([&](const Graph&) { return std::vector<Tensor>{x}; });
  return DoublesOf(tracer.ValueOf(graph, graph.outputs.at(output)));
}

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

ModelWriter Grid(const std::vector<std::int64_t>& theta, const std::vector<std::int64_t>& size,
                 bool align_corners) {
  ModelWriter writer(20);
  writer.Input("theta", theta);
  writer.Integers("size", size);
  ModelWriter::SetInt(writer.Node("AffineGrid", "grid", {"theta", "size"}, {"y"}), "align_corners",
                      align_corners ? 1 : 0);
  writer.Output("y");
  return writer;
}

TEST(AffineGrid, TheIdentityGivesTheCentresOfAllPixels) {
  const Tensor identity = Floats({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  const Graph centres = Grid({1, 2, 3}, {1, 1, 2, 4}, false).Import().graph;
  EXPECT_EQ(centres.value(centres.outputs[0]).type.ToString(), "float32 1x2x4x2");
  EXPECT_EQ(NodesOf(centres), "Transpose[grid/1] MatMul[grid/2] Reshape[grid]");
  EXPECT_THAT(OutputOf(centres, identity),
              ElementsAre(-0.75, -0.5, -0.25, -0.5, 0.25, -0.5, 0.75, -0.5,  //
                          -0.75, 0.5, -0.25, 0.5, 0.25, 0.5, 0.75, 0.5));
  const Graph corners = Grid({1, 2, 3}, {1, 1, 2, 3}, true).Import().graph;
  EXPECT_THAT(OutputOf(corners, identity), ElementsAre(-1, -1, 0, -1, 1, -1, -1, 1, 0, 1, 1, 1));
}

// x' = 2 x + 3 y + 1, y' = -x; z' = z of a volume.
TEST(AffineGrid, MatricesMoveThePixels) {
  const Graph flat = Grid({1, 2, 3}, {1, 1, 2, 2}, false).Import().graph;
  EXPECT_THAT(OutputOf(flat, Floats({1, 2, 3}, {2, 3, 1, -1, 0, 0})),
              ElementsAre(-1.5, 0.5, 0.5, -0.5, 1.5, 0.5, 3.5, -0.5));
  const Graph volume = Grid({1, 3, 4}, {1, 1, 2, 1, 1}, false).Import().graph;
  EXPECT_EQ(volume.value(volume.outputs[0]).type.ToString(), "float32 1x2x1x1x3");
  EXPECT_THAT(OutputOf(volume, Floats({1, 3, 4}, {1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6})),
              ElementsAre(4, 5, 5.5, 4, 5, 6.5));
}

TEST(AffineGrid, SizesThatDoNotFitAreErrors) {
  EXPECT_THAT(MessageOf(Grid({1, 2, 3}, {1, 1, 2}, false)),
              HasSubstr("expected matrices [N, 2, 3] and a size [N, C, H, W], or [N, 3, 4] and "
                        "[N, C, D, H, W], got float32 1x2x3 and 1x1x2"));
  EXPECT_THAT(MessageOf(Grid({2, 2, 3}, {1, 1, 2, 2}, false)), HasSubstr("got float32 2x2x3"));
  EXPECT_THAT(MessageOf(Grid({1, 2, 3}, {1, 1, 0, 2}, false)),
              HasSubstr("input 'size': expected extents of at least 1, got 0"));
}

TEST(Unique, IsAGatherOfWhatANodeFinds) {
  ModelWriter writer;
  writer.Input("x", {6});
  writer.Node("Unique", "unique", {"x"}, {"y", "i", "", "c"});
  for (const char* name : {"y", "i", "c"}) {
    writer.Output(name);
  }
  ImportOptions options;
  const Tensor sample = Floats({6}, {2, 1, 1, 3, 4, 3});
  options.sample = [&](const Graph&) { return std::vector<Tensor>{sample}; };
  const ImportResult result = writer.Import(options);
  const Graph& graph = result.graph;
  EXPECT_EQ(NodesOf(graph),
            "Reshape[unique/2] Unique[unique/1] Identity[unique/1_2] Identity[unique/3] "
            "Gather[unique]");
  EXPECT_EQ(graph.value(graph.outputs[1]).name, "i");
  EXPECT_EQ(graph.value(graph.outputs[2]).name, "c");
  EXPECT_EQ(result.traced.at(0).name, "unique/1/count");
  // Another sample has other values, and as many.
  const Tensor other = Floats({6}, {9, 9, 9, 5, 7, -1});
  EXPECT_THAT(OutputOf(graph, other), ElementsAre(-1, 5, 7, 9));
  EXPECT_THAT(OutputOf(graph, other, 1), ElementsAre(5, 3, 4, 0));
  EXPECT_THAT(OutputOf(graph, other, 2), ElementsAre(1, 1, 1, 3));
}

TEST(Unique, RowsOfAConstantAreConstant) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Floats("c", {3, 2}, {5, 6, 1, 2, 5, 6});
  ModelWriter::SetInt(writer.Node("Unique", "unique", {"c"}, {"u"}), "axis", 0);
  writer.Node("Mul", "mul", {"u", "x"}, {"y"});
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  EXPECT_EQ(NodesOf(graph), "Mul[mul]");
  EXPECT_THAT(OutputOf(graph, Floats({2}, {1, 10})), ElementsAre(1, 20, 5, 60));
}

TEST(Unique, HasFourResultsAtMost) {
  ModelWriter writer;
  writer.Floats("c", {2}, {5, 6});
  writer.Node("Unique", "unique", {"c"}, {"u", "i", "v", "n", "more"});
  writer.Output("more");
  EXPECT_THAT(MessageOf(writer), HasSubstr("expected 1 to 4 outputs, got 5"));
}

}  // namespace
}  // namespace halftone
