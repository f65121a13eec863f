#include "search/explain/kept_operators.h"

#include <gtest/gtest.h>

#include <cmath>

namespace halftone {
namespace {

SearchInsight ThreeGroups() {
  const std::vector<Choice> choices = {{DType::kFloat32}, {DType::kFloat16}, {DType::kBFloat16}};
  SearchInsight insight;
  for (const char* name : {"a", "b", "c"}) {
    insight.groups.push_back({.name = name, .nodes = {}, .choices = choices});
    insight.sensitivity.groups.push_back(
        {.choices = {{.errors = {0, 0}, .time = 0.4},
                     {.local_error = 1e-7, .errors = {1e-6, 3e-6}, .time = 0.1},
                     {.local_error = 1e-5, .errors = {1e-4, 1e-4}, .time = 0.2}},
         .formats = {{DType::kFloat16, {.errors = {0, 4e-6}, .rounding = {}}},
                     {DType::kBFloat16, {.errors = {0, 0}, .rounding = {}}}},
         .largest_value = 12.5});
  }
  return insight;
}

TEST(KeptOperatorsTest, ThePriceIsThatOfTheFastestChoice) {
  Trial trial;
  trial.kept_nodes = {"b", "unknown"};
  const std::vector<KeptOperator> kept = KeptOperatorsOf(ThreeGroups(), trial);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].node, "b");
  EXPECT_EQ(kept[0].choice, "float16");
  EXPECT_TRUE(kept[0].refusal.empty());
  EXPECT_NEAR(kept[0].local_sqnr_db, 70, 1e-9);
  // Own errors 2e-6 and rounding errors 2e-6 in the mean of the two samples.
  EXPECT_NEAR(kept[0].sqnr_db, -10 * std::log10(4e-6), 1e-9);
  EXPECT_NEAR(kept[0].saved_time, 0.3, 1e-12);
  EXPECT_EQ(kept[0].cause, "rounding");
}

// Ctrl-C among the probes leaves groups without formats: "internal error: map::at".
TEST(KeptOperatorsTest, GroupsThatWereNotProbedHaveNoRoundingErrors) {
  SearchInsight insight = ThreeGroups();
  for (GroupSensitivity& group : insight.sensitivity.groups) {
    group.formats.clear();
  }
  Trial trial;
  trial.kept_nodes = {"b"};
  const std::vector<KeptOperator> kept = KeptOperatorsOf(insight, trial);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_NEAR(kept[0].sqnr_db, -10 * std::log10(2e-6), 1e-9) << "own errors alone";
}

// Float32 with another implementation reads its operands as they are.
TEST(KeptOperatorsTest, OnlyReducedFormatsRoundTheirOperands) {
  GroupSensitivity group = ThreeGroups().sensitivity.groups[0];
  group.formats[DType::kBFloat16].errors = {1, 1};
  const ChoiceSensitivity fast{.errors = {1e-6, 3e-6}};
  EXPECT_DOUBLE_EQ(ErrorAtOutputs(group, {DType::kFloat32, ImplMode::kHighPerformance}, fast),
                   2e-6);
  EXPECT_DOUBLE_EQ(ErrorAtOutputs(group, {DType::kFloat16}, fast), 4e-6);
  EXPECT_DOUBLE_EQ(ErrorAtOutputs(group, {DType::kBFloat16}, fast), 1 + 2e-6);
}

TEST(KeptOperatorsTest, AChoiceThatCanBeMadeComesBeforeAFasterOneThatCannot) {
  SearchInsight insight = ThreeGroups();
  insight.sensitivity.groups[0].choices[1].refusal = "overflow";
  insight.sensitivity.groups[2].choices[1].refusal = "overflow";
  insight.sensitivity.groups[2].choices[2].refusal = "no kernel";
  Trial trial;
  trial.kept_nodes = {"a", "c"};
  const std::vector<KeptOperator> kept = KeptOperatorsOf(insight, trial);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].choice, "bfloat16");
  EXPECT_TRUE(kept[0].refusal.empty());
  EXPECT_EQ(kept[1].refusal, "overflow");
}

TEST(KeptOperatorsTest, WithoutProbesNothingIsKnown) {
  SearchInsight insight = ThreeGroups();
  insight.sensitivity = {};
  Trial trial;
  trial.kept_nodes = {"a"};
  EXPECT_TRUE(KeptOperatorsOf(insight, trial).empty());
}

}  // namespace
}  // namespace halftone
