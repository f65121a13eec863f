#include "src/api/kernel_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/neighbour_strategy.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(KernelRecordTest, ALineForEachNodeWithItsKernelsOfEveryDType) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {4, 64});
  const ValueId w = builder.Constant("w", Tensor(DType::kFloat32, {64, 48}));
  x = builder.Add(OpKind::kMatMul, "a \"product\"", {x, w});
  const Graph graph = builder.Finish({x});
  const PrecisionOptions modes[] = {{.precision_mode = "force_fp16"},
                                    {.precision_mode = "no_such_mode"}};
  const std::string record = KernelRecord(graph, LoadTarget("host"), modes, {});
  EXPECT_THAT(record, ::testing::StartsWith("\"a \\\"product\\\"\"\tfloat16 "));
  EXPECT_THAT(record, HasSubstr(", float32 "));
  EXPECT_EQ(std::count(record.begin(), record.end(), '\n'), 1);
  EXPECT_EQ(KernelRecord(graph, LoadTarget("host"), modes, {}), record);
}

TEST(ChangedNodesTest, OtherKernelsAndNodesOfOneSideOnly) {
  const std::string before = "\"a\"\tfloat32 k1\n\"b\"\tfloat32 k1\n\"gone \\u00e4\"\tfloat32 k1\n";
  const std::string after = "\"a\"\tfloat32 k1\n\"b\"\tfloat32 k2\n\"new\"\tfloat32 k1\n";
  EXPECT_THAT(ChangedNodes(before, after), UnorderedElementsAre("b", "gone \xC3\xA4", "new"));
  EXPECT_THAT(ChangedNodes(before, before), IsEmpty());
}

Trial Outcome(const Candidate& candidate, std::uint64_t plan, double ratio, double loss) {
  Trial trial{.candidate = candidate};
  trial.plan_digest = {0, plan};
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{.name = "rel_l2", .mean = loss}};
  trial.outcome = measurement;
  return trial;
}

std::vector<std::vector<std::string>> KeptOf(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::string>> kept;
  for (const Candidate& candidate : candidates) {
    kept.push_back(candidate.options.keep_dtype);
  }
  return kept;
}

TEST(NeighbourStrategyTest, TheKnownFirstThenEachWithOneOfTheNodesChanged) {
  SearchSpace space;
  space.keepable_nodes = {"a", "b", "c"};
  Candidate from;
  from.options.precision_mode = "force_fp16";
  from.options.keep_dtype = {"b"};
  const auto strategy = MakeNeighbourStrategy(space, {from}, {"a", "b", "not keepable"});
  EXPECT_EQ(strategy->WorkPlan(), "1 configuration known, each with one of 2 operators changed");
  EXPECT_EQ(strategy->MostPlans(), 3U);
  EXPECT_THAT(strategy->Suggest(10), ElementsAre(from));
  strategy->Update({{Outcome(from, 1, 0.5, 0.1)}});
  const std::vector<Candidate> first = strategy->Suggest(10);
  EXPECT_THAT(KeptOf(first), ElementsAre(ElementsAre("a", "b"), IsEmpty()));
  // Keeping "a" as well is a new member of the front; keeping nothing is beaten.
  strategy->Update({{Outcome(first[0], 2, 0.6, 0.01), Outcome(first[1], 3, 0.7, 0.2)}});
  const std::vector<Candidate> second = strategy->Suggest(10);
  EXPECT_THAT(KeptOf(second), ElementsAre(ElementsAre("a")));
  strategy->Update({{Outcome(second[0], 4, 0.9, 0.3)}});
  EXPECT_THAT(strategy->Suggest(10), IsEmpty());
}

TEST(NeighbourStrategyTest, WhatIsPinnedStays) {
  SearchSpace space;
  space.keepable_nodes = {"a"};
  space.pinned_keep_dtype = {"a"};
  Candidate from;
  from.options.keep_dtype = {"a"};
  const auto strategy = MakeNeighbourStrategy(space, {from}, {"a"});
  strategy->Update({{Outcome(strategy->Suggest(1).at(0), 1, 0.5, 0.1)}});
  EXPECT_THAT(strategy->Suggest(1), IsEmpty());
}

}  // namespace
}  // namespace halftone
