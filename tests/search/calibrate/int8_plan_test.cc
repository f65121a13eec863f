// Plans in 8 bits throughout, and with float ends.
#include "search/calibrate/int8_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/quantization/schemes.h"
#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using testing::GraphBuilder;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// conv1 -> conv2 -> pool -> softmax: the last has no form in 8 bits, the pool no float32 result.
Graph Head() {
  GraphBuilder net;
  const auto weights = [&](const std::string& name, Shape shape) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_values<float>()) {
      value = 0.5F;
    }
    return net.Constant(name, std::move(tensor));
  };
  const ValueId x = net.Input("x", {1, 4, 6, 6});
  const ValueId a = net.Add(OpKind::kConv, "conv1", {x, weights("w1", {8, 4, 1, 1})});
  const ValueId b = net.Add(OpKind::kConv, "conv2", {a, weights("w2", {8, 8, 3, 3})});
  const ValueId c = net.Add(OpKind::kGlobalAveragePool, "pool", {b});
  return net.Finish({net.Add(OpKind::kSoftmax, "softmax", {c})});
}

SharedQuantization Scales(const Graph& graph) {
  Quantization quantization;
  for (const Value& value : graph.values) {
    if (!value.constant) {
      quantization.activations[value.name] = ActivationScaleOf({-4, 4});
    }
  }
  return SharedQuantization(quantization);
}

TEST(Int8PlanTest, EverythingWithAForm) {
  const Graph graph = Head();
  EXPECT_THAT(
      NodeFormatsOf(graph, Int8Plan(graph, Scales(graph))),
      UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8"), Pair("pool", "qint8")));
}

TEST(Int8PlanTest, FloatEndsBeginInTheLastProduct) {
  const Graph graph = Head();
  EXPECT_THAT(NodeFormatsOf(graph, Int8PlanWithFloatEnds(graph, Scales(graph))),
              UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8 to float32")));
}

}  // namespace
}  // namespace halftone
