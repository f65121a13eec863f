#include "search/strategies/scaled_globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"
#include "tests/search/int8_head.h"
#include "tests/search/strategies/global_choices.h"

namespace halftone {
namespace {

using testing::ChoicesOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScalesOf;

const NumericFormat kInt8 = *NumericFormat::Named("qint8");

TEST(ScaledGlobalsTest, ChainsEndInFloat32BeforeWhatHasNoForm) {
  const Graph graph = testing::Int8Head();
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
  const Graph graph = testing::Int8Head();
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target, {.formats = {DType::kBFloat16, kInt8}});
  EXPECT_THAT(ScaledGlobals(decisions), IsEmpty());
}

}  // namespace
}  // namespace halftone
