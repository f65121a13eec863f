// GlobalLpPool and MaxUnpool as the operators that they are; operators that draw random numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The first output, node by node, of the first input.
std::vector<double> OutputOf(const Graph& graph, const Tensor& x) {
  Tracer tracer([&](const Graph&) { return std::vector<Tensor>{x}; });
  return DoublesOf(tracer.ValueOf(graph, graph.outputs.at(0)));
}

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(UpgradePool, GlobalLpPoolIsAPoolOverAllPixels) {
  for (const std::int64_t p : {1, 2, 3}) {
    ModelWriter writer;
    writer.Input("x", {1, 2, 2, 2});
    ModelWriter::SetInt(writer.Node("GlobalLpPool", "norm", {"x"}, {"y"}), "p", p);
    writer.Output("y");
    const Graph graph = writer.Import().graph;
    EXPECT_EQ(NodesOf(graph), "LpPool[norm]");
    EXPECT_EQ(graph.value(graph.outputs[0]).type.ToString(), "float32 1x2x1x1");
    const auto norm = [&](std::initializer_list<double> values) {
      double sum = 0;
      for (const double value : values) {
        sum += std::pow(std::abs(value), static_cast<double>(p));
      }
      return std::pow(sum, 1.0 / static_cast<double>(p));
    };
    const auto got = OutputOf(graph, Floats({1, 2, 2, 2}, {1, -2, 3, 4, 0, -5, 0, 12}));
    EXPECT_NEAR(got[0], norm({1, 2, 3, 4}), 1e-6 * got[0]);
    EXPECT_NEAR(got[1], norm({5, 12}), 1e-6 * got[1]);
  }
}

// MaxPool and back: each maximum where it was, zeros elsewhere.
ModelWriter PoolAndBack() {
  ModelWriter writer;
  writer.Input("x", {1, 2, 2, 4});
  auto& pool = writer.Node("MaxPool", "pool", {"x"}, {"p", "i"});
  ModelWriter::SetInts(pool, "kernel_shape", {2, 2});
  ModelWriter::SetInts(pool, "strides", {2, 2});
  auto& unpool = writer.Node("MaxUnpool", "unpool", {"p", "i"}, {"y"});
  ModelWriter::SetInts(unpool, "kernel_shape", {2, 2});
  ModelWriter::SetInts(unpool, "strides", {2, 2});
  writer.Output("y");
  return writer;
}

TEST(UpgradePool, MaxUnpoolWritesElementsToTheirPlaces) {
  const Graph graph = PoolAndBack().Import().graph;
  EXPECT_EQ(graph.value(graph.outputs[0]).type.ToString(), "float32 1x2x2x4");
  EXPECT_EQ(graph.nodes.back().origins.at(0).type, "MaxUnpool");
  EXPECT_THAT(
      OutputOf(graph, Floats({1, 2, 2, 4}, {1, 2, 5, 0, 0, 0, 3, 4, 0, 0, 0, 7, 9, 0, 6, 0})),
      ElementsAre(0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 7, 9, 0, 0, 0));
}

TEST(UpgradePool, OtherOutputShapesAreRefused) {
  ModelWriter writer = PoolAndBack();
  writer.Integers("shape", {1, 2, 3, 4});
  auto& unpool = *writer.graph().mutable_node(1);
  unpool.add_input("shape");
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("node 'unpool' (MaxUnpool): output_shape 1x2x3x4 is not what window, "
                        "strides and padding give, 1x2x2x4"));
}

TEST(UpgradePool, SizesOfAHostileFileAreRefused) {
  for (const std::int64_t stride : {std::int64_t{1} << 62, std::int64_t{1} << 30}) {
    ModelWriter writer = PoolAndBack();
    auto& unpool = *writer.graph().mutable_node(1);
    unpool.mutable_attribute(1)->set_ints(0, stride);
    unpool.mutable_attribute(1)->set_ints(1, stride);
    EXPECT_THAT(MessageOf(writer), HasSubstr("node 'unpool' (MaxUnpool): ")) << stride;
  }
}

TEST(UpgradePool, WindowsThatDoNotFitAreRefused) {
  ModelWriter writer = PoolAndBack();
  auto& unpool = *writer.graph().mutable_node(1);
  unpool.clear_attribute();
  ModelWriter::SetInts(unpool, "kernel_shape", {2});
  EXPECT_THAT(MessageOf(writer), HasSubstr("node 'unpool' (MaxUnpool): attribute 'kernel_shape': "
                                           "expected 2 numbers, got 1"));
}

TEST(UpgradePool, RandomNumbersAreRefused) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Node("RandomNormalLike", "noise", {"x"}, {"n"});
  writer.Node("Add", "add", {"x", "n"}, {"y"});
  writer.Output("y");
  EXPECT_THAT(
      MessageOf(writer),
      HasSubstr("node 'noise' (RandomNormalLike): RandomNormalLike draws random numbers, so "
                "that two runs cannot be compared: make its result an input of the model"));
}

}  // namespace
}  // namespace halftone
