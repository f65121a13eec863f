// The search by model where the truth is known: what the probes say and what the measurer says
// follow from the same formula.
#include "search/strategies/model_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/model/plan_predictor.h"
#include "search/strategies/global_points.h"
#include "search/trial/choose.h"
#include "search/trial/front_quality.h"
#include "search/tuner.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"
#include "tests/support/planted_prober.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using testing::FakeMeasurer;
using testing::PlantedProber;

struct Tuned {
  Confirmed result;
  SearchInsight insight;
  Trial chosen;  // only with a goal
  std::vector<AlternativeSet> alternatives;
};

Tuned Tune(const Graph& graph, FakeMeasurer& measurer, double factor, std::size_t max_trials = 200,
           std::vector<std::string> modes = {}, const Constraints& goal = {}) {
  const TargetSpec target = ChainTarget();
  const TuneProblem problem{graph, target,
                            MakeSearchSpace(graph, target, {.modes = std::move(modes)})};
  PlantedProber prober(measurer, factor);
  const auto strategy = MakeStrategy(
      "model", problem.space,
      {.network = StrategyNetwork{&problem.graph, &problem.target, &prober}, .goal = goal});
  Tuned tuned;
  tuned.result = RunTuner(problem, *strategy, measurer, {.max_trials = max_trials}, {}, {});
  tuned.insight = strategy->insight()->facts();
  std::vector<Trial> front;
  for (const std::size_t i : tuned.result.front) {
    front.push_back(tuned.result.trials[i]);
  }
  if (const auto chosen = ChooseMember(front, goal, {}); chosen && goal.any()) {
    tuned.chosen = front[*chosen];
    tuned.alternatives = strategy->insight()->AlternativesTo(tuned.chosen);
  }
  EXPECT_LE(prober.calls, 1);
  EXPECT_LE(tuned.result.measured, strategy->forecast().value().most_plans);
  return tuned;
}

std::vector<Objectives> MeasuredOf(const Confirmed& result) {
  std::vector<Objectives> measured;
  for (const Trial& trial : result.trials) {
    if (trial.measurement() != nullptr) {
      measured.push_back(ObjectivesOf(*trial.measurement()));
    }
  }
  return measured;
}

// The front of every assignment there is.
double BestQuality(const Graph& graph, FakeMeasurer& measurer) {
  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target);
  Assignment assignment(decisions.groups().size(), 0);
  std::vector<Objectives> front;
  while (true) {
    const auto outcome = measurer.Measure(decisions.PlanFor(assignment));
    measurer.measured.clear();
    if (const auto* measurement = std::get_if<Measurement>(&outcome)) {
      const Objectives now = ObjectivesOf(*measurement);
      if (std::ranges::none_of(front, [&](const Objectives& o) { return Dominates(o, now); })) {
        std::erase_if(front, [&](const Objectives& o) { return Dominates(now, o) || o == now; });
        front.push_back(now);
      }
    }
    std::size_t g = 0;
    while (g < assignment.size() && ++assignment[g] == decisions.groups()[g].choices.size()) {
      assignment[g++] = 0;
    }
    if (g == assignment.size()) {
      return FrontQuality(front);
    }
  }
}

TEST(ModelStrategyTest, ReachesTheFrontOfAllPlans) {
  const Graph graph = ChainNetwork(3);
  FakeMeasurer measurer(graph);
  measurer.sensitivity = {{"mm0", 0.02}, {"act0", 3}, {"mm1", 0.4}, {"act1", 0.1}, {"mm2", 20}};
  const double best = BestQuality(graph, measurer);
  const Tuned tuned = Tune(graph, measurer, 1);
  EXPECT_GE(FrontQuality(MeasuredOf(tuned.result)), 0.99 * best);
  EXPECT_LE(tuned.result.measured, 120U);
}

TEST(ModelStrategyTest, LearnsThatTheProbesWereOff) {
  const Graph graph = ChainNetwork(3);
  FakeMeasurer measurer(graph);
  measurer.sensitivity = {{"mm0", 0.02}, {"act0", 3}, {"mm1", 0.4}, {"act1", 0.1}, {"mm2", 20}};
  const double best = BestQuality(graph, measurer);
  const Tuned tuned = Tune(graph, measurer, 0.5);
  EXPECT_GE(FrontQuality(MeasuredOf(tuned.result)), 0.98 * best);
  const auto& predictions = tuned.insight.predictions;
  ASSERT_GT(predictions.size(), 6U);
  // The global trials have told the factor: no prediction is off by its 3 dB any more.
  for (const auto& prediction : predictions) {
    if (prediction.measured.loss > 1e-5) {
      EXPECT_NEAR(std::log2(prediction.predicted.loss / prediction.measured.loss), 0, 0.25);
    }
  }
}

// A runtime that computes in other types than it was asked for tells nothing of the plan.
TEST(ModelStrategyTest, LearnsNothingFromPlansThatDidNotRunAsAsked) {
  const Graph graph = ChainNetwork(3);
  FakeMeasurer measurer(graph);
  const std::size_t as_asked = Tune(graph, measurer, 1).insight.predictions.size();
  EXPECT_GT(as_asked, 0U);
  measurer.runs_as_asked = false;
  const Tuned tuned = Tune(graph, measurer, 1);
  EXPECT_GT(tuned.result.measured, 1U);
  for (const auto& prediction : tuned.insight.predictions) {
    EXPECT_EQ(prediction.measured.loss, 0);  // float32 in other implementations
  }
  EXPECT_LT(tuned.insight.predictions.size(), as_asked);
}

TEST(ModelStrategyTest, AvoidsWhatWasRejected) {
  const Graph graph = ChainNetwork(4);
  FakeMeasurer measurer(graph);
  measurer.rejects_float16 = {"mm1"};  // group 2, whose values are the largest
  const Tuned tuned = Tune(graph, measurer, 1);
  const auto rejected = std::ranges::count_if(
      tuned.result.trials, [](const Trial& trial) { return trial.rejection() != nullptr; });
  const auto in_float16 = std::ranges::count_if(
      tuned.insight.predictions, [](const auto& p) { return p.measured.latency_ratio < 0.8; });
  EXPECT_GT(in_float16, 0) << "other operators are lowered";
  EXPECT_LE(rejected, 12) << "global modes, and at most one round of proposals";
}

// Every mode that may be searched overflows: operators kept in float32 are the cure, and there is
// nothing measured to predict from.
TEST(ModelStrategyTest, FindsAPlanWhereAllGlobalOnesAreRejected) {
  const Graph graph = ChainNetwork(10);  // 20 groups: greedy does not come to help
  FakeMeasurer measurer(graph);
  measurer.rejects_float16 = {"mm1"};
  const Tuned tuned = Tune(graph, measurer, 1, 200, {"force_fp16"});
  EXPECT_TRUE(std::ranges::any_of(tuned.result.trials, [](const Trial& trial) {
    return trial.measurement() != nullptr && !trial.low_precision_nodes.empty();
  }));
}

// Probes come behind the modes of the default implementations, and what they promise before the
// modes with other ones, which are all measured nevertheless.
TEST(ModelStrategyTest, SmallNetworksMeasureOtherImplementationsLater) {
  const Graph graph = ChainNetwork(6);
  const TargetSpec target = ChainTarget();
  const TuneProblem problem{graph, target, MakeSearchSpace(graph, target)};
  FakeMeasurer measurer(graph);
  const Confirmed result = Tune(graph, measurer, 1).result;
  const auto place_of = [&](const SpacePoint& point) {
    const Hash128 plan =
        ResolvePrecision(graph, CandidateAt(problem.space, point).options, target).Digest();
    const auto found = std::ranges::find(result.trials, plan, &Trial::plan_digest);
    EXPECT_NE(found, result.trials.end());
    return static_cast<std::size_t>(found - result.trials.begin());
  };
  std::size_t modes = 0;
  std::vector<std::size_t> others;
  for (const SpacePoint& point : GlobalPoints(problem.space)) {
    if (point.impl_mode_set == 0) {
      modes = std::max(modes, place_of(point) + 1);
    } else {
      others.push_back(place_of(point));
    }
  }
  EXPECT_LE(modes, problem.space.modes.size());
  // Some are plans that the modes or the rounds had before; the others stand behind rounds.
  EXPECT_GE(std::ranges::max(others), modes + 3);
}

// Of what the fastest plan within the bound keeps, nothing can be lowered without leaving the bound
// or taking longer: seen by measuring every such plan.
TEST(ModelStrategyTest, KeepSetsWithinABoundAreMinimal) {
  const Graph graph = ChainNetwork(10);
  FakeMeasurer measurer(graph);
  for (int i = 0; i < 10; ++i) {
    measurer.sensitivity["mm" + std::to_string(i)] = std::pow(3.0, (i * 7) % 10) / 100;
    measurer.sensitivity["act" + std::to_string(i)] = 0.3;
  }
  const Constraints goal{.max_rel_l2 = 0.02};
  const Tuned tuned = Tune(graph, measurer, 4, 1000, {}, goal);
  ASSERT_NE(tuned.chosen.measurement(), nullptr);
  ASSERT_FALSE(Violation(goal, *tuned.chosen.measurement(), {}));
  ASSERT_FALSE(tuned.chosen.kept_nodes.empty());

  const TargetSpec target = ChainTarget();
  const Decisions decisions(graph, target);
  const Assignment chosen =
      decisions.AssignmentOf(ResolvePrecision(graph, tuned.chosen.candidate.options, target));
  for (std::size_t g = 0; g < chosen.size(); ++g) {
    for (std::size_t c = 0; c < decisions.groups()[g].choices.size(); ++c) {
      if (decisions.groups()[g].choices[chosen[g]].format != DType::kFloat32 ||
          decisions.groups()[g].choices[c].format == DType::kFloat32) {
        continue;
      }
      Assignment lowered = chosen;
      lowered[g] = c;
      const auto outcome = measurer.Measure(decisions.PlanFor(lowered));
      const auto* measurement = std::get_if<Measurement>(&outcome);
      EXPECT_TRUE(measurement == nullptr || Violation(goal, *measurement, {}) ||
                  measurement->latency.ratio >= tuned.chosen.measurement()->latency.ratio)
          << decisions.groups()[g].name << " could be " << NameOf(decisions.groups()[g].choices[c]);
    }
  }
}

TEST(ModelStrategyTest, AlternativesLowerWhatIsKeptAndLoseNoMore) {
  const Graph graph = ChainNetwork(10);
  FakeMeasurer measurer(graph);
  // Operators that are alike can stand for each other.
  const Constraints goal{.max_rel_l2 = 0.0015};
  const Tuned tuned = Tune(graph, measurer, 1, 1000, {}, goal);
  ASSERT_NE(tuned.chosen.measurement(), nullptr);
  ASSERT_FALSE(tuned.alternatives.empty());
  for (const AlternativeSet& set : tuned.alternatives) {
    EXPECT_THAT(tuned.chosen.kept_nodes, ::testing::Contains(set.lowered));
    EXPECT_THAT(set.kept, ::testing::Not(::testing::Contains(set.lowered)));
    EXPECT_LE(set.predicted.loss, 1.02 * ObjectivesOf(*tuned.chosen.measurement()).loss);
    EXPECT_LE(set.predicted.latency_ratio, 1.02 * tuned.chosen.measurement()->latency.ratio);
  }
}

TEST(ModelStrategyTest, NeverProposesAPlanTwiceAndEnds) {
  const Graph graph = ChainNetwork(6);
  FakeMeasurer measurer(graph);
  const Tuned tuned = Tune(graph, measurer, 1, 10'000);
  EXPECT_EQ(tuned.result.stop_reason, "nothing left to propose");
  EXPECT_EQ(std::set<Hash128>(measurer.measured.begin(), measurer.measured.end()).size(),
            measurer.measured.size());
  EXPECT_LE(tuned.insight.predictions.size(), MostProposals(12));
}

// Two operators: the rounds end after 13 predicted plans, 38 more would gain were the model off by
// three standard deviations.
// With a budget to spend the search goes on until every plan is measured, and ends.
TEST(ModelStrategyTest, GoesOnUntilTheSpaceIsExhausted) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();
  FakeMeasurer measurer(graph);
  PlantedProber prober(measurer, 1.0);
  const TuneProblem problem{graph, target, MakeSearchSpace(graph, target)};
  const auto measured = [&](bool goes_on) {
    measurer.measured.clear();
    const auto strategy = MakeStrategy(
        "model", problem.space,
        {.network = StrategyNetwork{&problem.graph, &problem.target, &prober}, .goes_on = goes_on});
    EXPECT_EQ(strategy->forecast().value().most_plans == kNoLimitOfPlans, goes_on);
    const Confirmed result =
        RunTuner(problem, *strategy, measurer, {.max_trials = kNoLimitOfPlans}, {}, {});
    EXPECT_EQ(result.stop_reason, "nothing left to propose");
    const std::set<Hash128> distinct(measurer.measured.begin(), measurer.measured.end());
    EXPECT_EQ(distinct.size(), measurer.measured.size());
    return measurer.measured.size();
  };
  const std::size_t before = measured(false);
  const std::size_t after = measured(true);
  EXPECT_GT(after, before);
  // All assignments of the decisions: the draws find each while few are left.
  const Decisions decisions(graph, target);
  std::size_t all = 1;
  for (const DecisionGroup& group : decisions.groups()) {
    all *= group.choices.size();
  }
  EXPECT_GE(after, 9 * all / 10);
}

TEST(ModelStrategyTest, SmallNetworksAreSearchedOn) {
  const Graph small = ChainNetwork(2);
  FakeMeasurer measurer(small);
  const Tuned tuned = Tune(small, measurer, 1, 10'000);
  EXPECT_GE(tuned.insight.predictions.size(), 30U);
  EXPECT_LT(tuned.result.trials.size(), kPlansOfSmall + LaterRound(kFewGroups));
}

// The first plans that are measured look 20 times as fast as they are, and their intervals say how
// little that means.
class LuckyMeasurer : public FakeMeasurer {
 public:
  static constexpr std::size_t kLucky = 6;
  using FakeMeasurer::FakeMeasurer;

  std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override {
    auto outcome = FakeMeasurer::Measure(plan);
    if (auto* measurement = std::get_if<Measurement>(&outcome);
        measurement && measured.size() <= kLucky) {
      Latency& latency = measurement->latency;
      latency.ratio /= 20;
      latency.ratio_interval = {latency.ratio / 10, latency.ratio * 40};
    }
    return outcome;
  }
};

TEST(ModelStrategyTest, ALatencyThatNobodyKnowsDoesNotEndTheSearch) {
  const Graph graph = ChainNetwork(10);
  FakeMeasurer sure(graph);
  LuckyMeasurer lucky(graph);
  const std::size_t usual = Tune(graph, sure, 1).result.measured;
  EXPECT_GE(Tune(graph, lucky, 1).result.measured, usual);
}

TEST(ProspectTest, HopesByStandardDeviations) {
  const Prospect prospect{.assignment = {}, .predicted = {0.8, 1e-3}, .hoped = {0.4, 0.5e-3}};
  EXPECT_EQ(prospect.HopedBy(0), prospect.predicted);
  EXPECT_EQ(prospect.HopedBy(1), prospect.hoped);
  EXPECT_DOUBLE_EQ(prospect.HopedBy(3).latency_ratio, 0.1);
  EXPECT_DOUBLE_EQ(prospect.HopedBy(3).loss, 1.25e-4);
  const Prospect exact{.assignment = {}, .predicted = {0.8, 0}, .hoped = {0.4, 0}};
  EXPECT_EQ(exact.HopedBy(3).loss, 0);
}

TEST(ModelStrategyTest, SameTrialsSameProposals) {
  const Graph graph = ChainNetwork(4);
  FakeMeasurer first(graph);
  FakeMeasurer second(graph);
  Tune(graph, first, 1);
  Tune(graph, second, 1);
  EXPECT_EQ(first.measured, second.measured);
}

// Of three samples the third decides what every plan loses.
TEST(ModelStrategyTest, ProbesAreToldWhatSamplesLose) {
  class ScatteringMeasurer : public FakeMeasurer {
   public:
    using FakeMeasurer::FakeMeasurer;

    std::variant<Measurement, Rejection> Measure(const PrecisionPlan& plan) override {
      auto outcome = FakeMeasurer::Measure(plan);
      if (auto* measurement = std::get_if<Measurement>(&outcome)) {
        MetricValue& loss = measurement->accuracy.metrics[1];
        loss.values = {0.5 * loss.mean, 0, 2.5 * loss.mean};
      }
      return outcome;
    }
  };

  class Listener : public Prober {
   public:
    Sensitivity Probe(const Decisions& /*decisions*/, std::span<const double> losses) override {
      heard.assign(losses.begin(), losses.end());
      return {.groups = {}, .complete = false};
    }

    std::vector<double> heard;
  };

  const Graph graph = ChainNetwork(3);
  const TargetSpec target = ChainTarget();
  const TuneProblem problem{graph, target, MakeSearchSpace(graph, target, {})};
  Listener prober;
  const auto strategy =
      MakeStrategy("model", problem.space,
                   {.network = StrategyNetwork{&problem.graph, &problem.target, &prober}});
  ScatteringMeasurer measurer(graph);
  RunTuner(problem, *strategy, measurer, {}, {}, {});
  ASSERT_EQ(prober.heard.size(), 3U);
  EXPECT_GT(prober.heard[0], 0);
  EXPECT_EQ(prober.heard[1], 0);
  EXPECT_DOUBLE_EQ(prober.heard[2], 5 * prober.heard[0]);
}

TEST(ModelStrategyTest, WithoutANetworkItSaysSo) {
  try {
    MakeStrategy("model", SearchSpace{.modes = {"force_fp16"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "the strategy 'model' needs a network to probe, and has only the space of "
                 "candidates: use one of greedy, bisect, nsga2, exhaustive, random");
  }
}

}  // namespace
}  // namespace halftone
