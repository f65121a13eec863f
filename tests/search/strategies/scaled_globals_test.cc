#include "search/strategies/scaled_globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"
#include "src/quantization/schemes.h"
#include "tests/search/strategies/global_choices.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using testing::ChoicesOf;
using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::IsEmpty;
using testing::ScalesOf;

const NumericFormat kInt8 = *NumericFormat::Named("qint8");

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

TEST(ScaledGlobalsTest, ChainsEndInFloat32BeforeWhatHasNoForm) {
  const Graph graph = Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(
      graph, target, {.formats = {DType::kBFloat16, kInt8}, .quantization = ScalesOf(graph)});
  const std::vector<Assignment> globals = ScaledGlobals(decisions);
  ASSERT_EQ(globals.size(), 4U);
  EXPECT_THAT(ChoicesOf(decisions, globals[0]), ElementsAre("conv1: int8", "conv2: int8 to float32",
                                                            "pool: float32", "softmax: float32"));
  EXPECT_THAT(ChoicesOf(decisions, globals[1]), ElementsAre("conv1: int8", "conv2: int8 to float32",
                                                            "pool: bfloat16", "softmax: bfloat16"));
  EXPECT_THAT(ChoicesOf(decisions, globals[2]),
              ElementsAre("conv1: int8", "conv2: int8", "pool: int8", "softmax: float32"));
  EXPECT_THAT(ChoicesOf(decisions, globals[3]),
              ElementsAre("conv1: int8 to float32", "conv2: int8 to float32", "pool: int8",
                          "softmax: float32"));
}

TEST(ScaledGlobalsTest, WithoutScalesThereAreNone) {
  const Graph graph = Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {DType::kBFloat16, kInt8}});
  EXPECT_THAT(ScaledGlobals(decisions), IsEmpty());
}

}  // namespace
}  // namespace halftone
