// Every other choice in the operators that are named, and nothing else.
#include "src/api/retune/neighbour_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/space/decisions.h"
#include "src/api/halftone.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "tests/support/fake_measurer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::FakeMeasurer;
using ::halftone::testing::SourceDir;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class NeighbourStrategyTest : public ::testing::Test {
 protected:
  // By group another choice than the one before has: no mode gives that.
  [[nodiscard]] Candidate Mixed() const {
    Assignment assignment;
    for (const DecisionGroup& group : decisions_.groups()) {
      assignment.push_back((assignment.size() + 1) % group.choices.size());
    }
    return {ConfigurationFor(model_.graph, decisions_.PlanFor(assignment), target_).options};
  }

  [[nodiscard]] PrecisionPlan PlanOf(const Candidate& candidate) const {
    return ResolvePrecision(model_.graph, candidate.options, target_);
  }

  [[nodiscard]] const DecisionGroup& group(std::size_t index) const {
    return decisions_.groups()[index];
  }

  [[nodiscard]] std::string NameOf(std::size_t group_index) const {
    return model_.graph.node(group(group_index).nodes.front()).name;
  }

  [[nodiscard]] std::unique_ptr<SearchStrategy> StrategyAround(
      const Candidate& from, const std::set<std::string>& nodes) const {
    return MakeNeighbourStrategy(model_.graph, target_, MakeSearchSpace(model_.graph, target_),
                                 {from}, nodes);
  }

  // What comes next, measured; empty: nothing.
  std::vector<Trial> Next(SearchStrategy& strategy) {
    std::vector<Trial> trials;
    for (Candidate& candidate : strategy.Suggest(1000)) {
      Trial& trial = trials.emplace_back();
      trial.candidate = std::move(candidate);
      trial.outcome = std::get<Measurement>(measurer_.Measure(PlanOf(trial.candidate)));
    }
    strategy.Update(trials);
    return trials;
  }

  Model model_ = LoadModel({.path = SourceDir() / "examples/digits/model.onnx",
                            .inputs = SourceDir() / "examples/digits/search_inputs.npy"});
  TargetSpec target_ = LoadTarget(TargetOptions{});
  Decisions decisions_{model_.graph, target_};
  FakeMeasurer measurer_{model_.graph};
};

TEST_F(NeighbourStrategyTest, AllOtherChoicesOfTheGroupAndNothingElse) {
  const Candidate from = Mixed();
  ASSERT_THAT(from.options.customize_dtypes, Not(IsEmpty())) << "no keep_dtype line wins over them";
  const Assignment before = decisions_.AssignmentOf(PlanOf(from));
  const auto strategy = StrategyAround(from, {NameOf(1)});
  const Forecast forecast = strategy->forecast().value();
  EXPECT_EQ(forecast.work_plan, "1 configuration known, each with one of 1 group changed");
  EXPECT_EQ(forecast.most_plans, group(1).choices.size());
  const auto first = Next(*strategy);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].candidate, from);

  std::set<std::size_t> choices;
  for (const Trial& trial : Next(*strategy)) {
    Assignment after = decisions_.AssignmentOf(PlanOf(trial.candidate));
    EXPECT_TRUE(choices.insert(after[1]).second) << "proposed twice";
    after[1] = before[1];
    EXPECT_EQ(after, before) << Summary(trial.candidate, AllVocabularies()[0]);
  }
  EXPECT_EQ(choices.size(), group(1).choices.size() - 1);
  EXPECT_FALSE(choices.contains(before[1]));
  EXPECT_THAT(Next(*strategy), IsEmpty()) << "no choice is left";
}

TEST_F(NeighbourStrategyTest, WhatGainsIsChangedFurther) {
  const Candidate from{{.precision_mode = "force_fp32"}};
  const PrecisionPlan before = PlanOf(from);
  const auto strategy = StrategyAround(from, {NameOf(0), NameOf(2)});
  bool both = false;
  for (auto trials = Next(*strategy); !trials.empty(); trials = Next(*strategy)) {
    for (const Trial& trial : trials) {
      const Assignment after = decisions_.AssignmentOf(PlanOf(trial.candidate));
      both = both || (after[0] != 0 && after[2] != 0);
    }
  }
  EXPECT_TRUE(both);
}

// A mode may let a node compute as no choice does; that is not for this search to mend.
TEST_F(NeighbourStrategyTest, OtherNodesStayAsTheConfigurationHasThem) {
  for (const std::string& mode : MakeSearchSpace(model_.graph, target_).modes) {
    const Candidate from{{.precision_mode = mode}};
    const PrecisionPlan before = PlanOf(from);
    const auto strategy = StrategyAround(from, {NameOf(1)});
    Next(*strategy);
    for (const Trial& trial : Next(*strategy)) {
      const PrecisionPlan after = PlanOf(trial.candidate);
      for (NodeId n = 0; n < std::ssize(before.nodes); ++n) {
        if (decisions_.GroupOf(n) != 1U && decisions_.FollowedBy(n) != 1U) {
          EXPECT_EQ(after.node(n), before.node(n))
              << mode << " at " << model_.graph.node(n).name << ": "
              << Summary(trial.candidate, AllVocabularies()[0]);
        }
      }
    }
  }
}

TEST_F(NeighbourStrategyTest, NodesWithoutAChoiceLeaveTheConfigurationsAlone) {
  const auto strategy = StrategyAround(Mixed(), {"no such node"});
  EXPECT_EQ(strategy->forecast().value().most_plans, 1U);
  EXPECT_THAT(Next(*strategy), SizeIs(1));
  EXPECT_THAT(Next(*strategy), IsEmpty());
}

TEST_F(NeighbourStrategyTest, WhatIsPinnedStays) {
  const SearchSpace space =
      MakeSearchSpace(model_.graph, target_, {.pinned_keep_dtype = {NameOf(1)}});
  const auto strategy = MakeNeighbourStrategy(model_.graph, target_, space, {Mixed()}, {NameOf(1)});
  EXPECT_EQ(strategy->forecast().value().most_plans, 1U);
}

}  // namespace
}  // namespace halftone
