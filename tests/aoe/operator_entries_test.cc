#include "src/aoe/operator_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ImplMode kPrecise = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

OperatorProblem Problem() {
  OperatorProblem problem;
  for (const char* node : {"a", "b", "c", "d"}) {
    problem.operators.push_back({.node = node,
                                 .ir_type = std::string(node) == "d" ? "Exp" : "Conv2D",
                                 .fused_names = {node, std::string(node) + "/relu"},
                                 .fused_types = {"Conv2D", "Relu"},
                                 .current = kPrecise,
                                 .others = {kFast}});
    problem.baseline.impl_mode_by_node[node] = kPrecise;
  }
  problem.operators.back().fused_types = {"Exp"};
  return problem;
}

Trial TrialOf(const OperatorProblem& problem, const std::vector<std::string>& fast, bool succeeds) {
  Trial trial;
  trial.candidate.options = problem.baseline;
  for (const std::string& node : fast) {
    trial.candidate.options.impl_mode_by_node[node] = kFast;
  }
  trial.outcome = Measurement{};
  if (!succeeds) {
    trial.outcome = Rejection{"it does not run"};
  }
  return trial;
}

TEST(KeepListedTest, UnionOfNamesAndTypesFusedOnesIncluded) {
  const auto kept = [](const TuneOps& ops) {
    OperatorProblem problem = Problem();
    KeepListed(ops, problem);
    std::string names;
    for (const OperatorModes& op : problem.operators) {
      names += op.node;
    }
    return names;
  };
  EXPECT_EQ(kept({{"a"}, {}}), "a");
  EXPECT_EQ(kept({{"b/relu"}, {}}), "b");
  EXPECT_EQ(kept({{}, {"Relu"}}), "abc");
  EXPECT_EQ(kept({{"a"}, {"Exp"}}), "ad");
  EXPECT_EQ(kept({{"A", "b/rel"}, {"Conv"}}), "") << "whole words, case counts";
  EXPECT_EQ(kept({{}, {}}), "");
}

// a: new and chosen; b: new and not chosen; c: known, re-measured and chosen; d: known.
TEST(OperatorEntriesTest, StatesAndIdentities) {
  const OperatorProblem problem = Problem();
  OperatorEntries entries(problem);
  entries.Add(TrialOf(problem, {}, true), true);
  entries.Add(TrialOf(problem, {"a"}, true), true);
  entries.Add(TrialOf(problem, {"b"}, false), true);
  entries.Add(TrialOf(problem, {"c"}, true), false);
  entries.Add(TrialOf(problem, {"c"}, true), true);
  entries.Add(TrialOf(problem, {"d"}, true), false);
  entries.Add(TrialOf(problem, {"a", "b"}, true), true);
  const PrecisionOptions chosen = TrialOf(problem, {"a", "c", "d"}, true).candidate.options;
  EXPECT_THAT(entries.Changed(chosen), ElementsAre(0, 2, 3));
  EXPECT_EQ(entries.UpdateMode(0), "add");
  EXPECT_EQ(entries.UpdateMode(2), "update");
  EXPECT_EQ(entries.UpdateMode(3), "");
  const AoeRepoSummary summary = entries.Summary(&chosen);
  EXPECT_EQ(summary,
            (AoeRepoSummary{
                .total = 4, .hit = 2, .add = 1, .update = 1, .reserved = 1, .unsatisfied = 1}));
  EXPECT_TRUE(IsConsistent(summary));
  EXPECT_TRUE(IsConsistent(entries.Summary(nullptr)));
  EXPECT_THAT(entries.Failed(), ElementsAre("b"));
}

// An operator has one row, whether it has modes, kernels or both.
TEST(OperatorEntriesTest, KernelsCountWithTheModesOfTheirOperator) {
  const OperatorProblem problem = Problem();
  OperatorEntries entries(problem);
  entries.AddKernels({{"a", "Conv2D", false, true},    // new, and another kernel
                      {"b", "Conv2D", false, false},   // new, the static one
                      {"c", "Conv2D", true, true},     // known
                      {"x", "MatMulV2", false, true},  // no choice of modes
                      {"y", "MatMulV2", true, false}});
  entries.Add(TrialOf(problem, {"c"}, true), true);  // its mode is new
  EXPECT_EQ(entries.Summary(nullptr),
            (AoeRepoSummary{.total = 6, .hit = 2, .add = 2, .reserved = 2, .unsatisfied = 2}));
  const PrecisionOptions chosen = TrialOf(problem, {"c"}, true).candidate.options;
  EXPECT_EQ(entries.Summary(&chosen),
            (AoeRepoSummary{
                .total = 6, .hit = 2, .add = 2, .update = 1, .reserved = 1, .unsatisfied = 2}));
  std::vector<std::string> modified;
  for (const ModifiedOperator& op : entries.Modified(&chosen)) {
    modified.push_back(op.node + " " + op.ir_type + " " + std::string(op.update_mode));
  }
  EXPECT_THAT(modified, ElementsAre("a Conv2D add", "c Conv2D update", "x MatMulV2 add"));
  EXPECT_THAT(entries.Failed(), IsEmpty());
}

TEST(OperatorEntriesTest, WhatGainedNothingIsNoModification) {
  const OperatorProblem problem = Problem();
  OperatorEntries entries(problem);
  entries.AddKernels(
      {{"a", "Conv2D", false, true}, {"b", "Conv2D", false, true}, {"x", "MatMulV2", false, true}});
  entries.Add(TrialOf(problem, {"c"}, true), false);
  entries.Add(TrialOf(problem, {"c"}, true), true);
  const PrecisionOptions chosen = TrialOf(problem, {"c"}, true).candidate.options;
  EXPECT_EQ(entries.Summary(&chosen),
            (AoeRepoSummary{.total = 5, .hit = 1, .add = 3, .update = 1, .unsatisfied = 1}));
  for (const char* node : {"b", "c", "x"}) {
    entries.Withdraw(node);
  }
  EXPECT_EQ(entries.Summary(&chosen),
            (AoeRepoSummary{.total = 5, .hit = 1, .add = 1, .reserved = 1, .unsatisfied = 3}));
  ASSERT_EQ(entries.Modified(&chosen).size(), 1U);
  EXPECT_EQ(entries.Modified(&chosen).front().node, "a");
}

TEST(IsTieTest, WhereTheIntervalOfTheGainHoldsOne) {
  const auto latency = [](double low, double high) {
    return Latency{.ratio = (low + high) / 2, .ratio_interval = {low, high}};
  };
  EXPECT_TRUE(IsTie(latency(0.9, 1.0), latency(0.8, 0.9)));
  EXPECT_TRUE(IsTie(latency(0.8, 0.9), latency(0.85, 0.86)));
  EXPECT_TRUE(IsTie(latency(0.8, 0.9), latency(0.8, 0.9)));
  EXPECT_FALSE(IsTie(latency(0.9, 1.0), latency(0.8, 0.89)));
  EXPECT_FALSE(IsTie(latency(0.8, 0.89), latency(0.9, 1.0)));
}

// All 2^2 states of an entry, chosen or not: the identities hold whatever happened.
TEST(OperatorEntriesTest, IdentitiesHoldForEveryState) {
  const OperatorProblem problem = Problem();
  for (int state = 0; state < 8; ++state) {
    OperatorEntries entries(problem);
    if ((state & 1) != 0) {
      entries.Add(TrialOf(problem, {"a"}, true), false);
    }
    if ((state & 2) != 0) {
      entries.Add(TrialOf(problem, {"a"}, true), true);
    }
    const PrecisionOptions chosen =
        TrialOf(problem,
                (state & 4) != 0 ? std::vector<std::string>{"a"} : std::vector<std::string>{}, true)
            .candidate.options;
    EXPECT_TRUE(IsConsistent(entries.Summary(&chosen))) << state;
    EXPECT_EQ(entries.Summary(&chosen).hit, state & 1) << state;
  }
}

TEST(OperatorEntriesTest, NothingFailsBeforeItIsTried) {
  const OperatorProblem problem = Problem();
  EXPECT_THAT(OperatorEntries(problem).Failed(), IsEmpty());
}

}  // namespace
}  // namespace halftone
