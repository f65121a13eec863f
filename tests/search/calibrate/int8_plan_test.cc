// Plans in 8 bits throughout, and with float ends.
#include "search/calibrate/int8_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/search/calibrate/int8_fixture.h"
#include "tests/search/int8_head.h"

namespace halftone {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;
using ::testing::Pair;
using testing::ScalesOf;
using ::testing::UnorderedElementsAre;

TEST(Int8PlanTest, EverythingWithAForm) {
  const Graph graph = testing::Int8Head();
  EXPECT_THAT(
      NodeFormatsOf(graph, Int8Plan(graph, ScalesOf(graph))),
      UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8"), Pair("pool", "qint8")));
}

TEST(Int8PlanTest, FloatEndsBeginInTheLastProduct) {
  const Graph graph = testing::Int8Head();
  EXPECT_THAT(NodeFormatsOf(graph, Int8PlanWithFloatEnds(graph, ScalesOf(graph))),
              UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8 to float32")));
}

// A Relu behind the product is in float32, too: it is computed with the result.
TEST(Int8PlanTest, WhatIsFusedBehindTheLastProductIsInFloat32) {
  const Graph graph = testing::Int8Head(OpKind::kRelu);
  EXPECT_THAT(NodeFormatsOf(graph, Int8Plan(graph, ScalesOf(graph))),
              UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8"),
                                   Pair("act", "qint8"), Pair("pool", "qint8")));
  const PrecisionPlan plan = Int8PlanWithFloatEnds(graph, ScalesOf(graph));
  EXPECT_THAT(NodeFormatsOf(graph, plan),
              UnorderedElementsAre(Pair("conv1", "qint8"), Pair("conv2", "qint8 to float32")));
  const std::vector<std::string> ops = testing::StepOps(graph, plan);
  EXPECT_EQ(std::ranges::count(ops, "QLinearConv"), 2);
  EXPECT_THAT(ops, AllOf(Not(Contains("Relu")), Not(Contains("DequantizeLinear"))));
}

}  // namespace
}  // namespace halftone
