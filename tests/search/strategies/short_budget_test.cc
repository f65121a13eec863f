// What a budget of few plans reaches, where the truth is known: what the probes say and what the
// measurer says follow from the same formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/strategies/global_points.h"
#include "search/trial/constraints.h"
#include "search/trial/front_quality.h"
#include "search/tuner.h"
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

constexpr std::size_t kPlans = 20;

// A network of 40 groups, in which one product carries nearly all of the error.
class ShortBudgetTest : public ::testing::Test {
 protected:
  ShortBudgetTest() { measurer_.sensitivity = {{"mm7", 300}}; }

  std::vector<Trial> Trials(std::size_t plans = kPlans) {
    PlantedProber prober(measurer_, 1);
    const auto strategy = StrategyWith(prober, std::nullopt);
    return RunSearch(problem_, *strategy, measurer_, {.max_trials = plans}, {}, {}).trials;
  }

  // `model` with time for so many plans; empty: no limit.
  std::unique_ptr<SearchStrategy> StrategyWith(Prober& prober,
                                               std::optional<double> affordable_plans,
                                               const Constraints& goal = {}) {
    return MakeStrategy("model", problem_.space,
                        {.network = StrategyNetwork{&problem_.graph, &problem_.target, &prober},
                         .goal = goal,
                         .affordable_plans = affordable_plans});
  }

  // Plans of the whole network: those of the modes and of the sets of implementations.
  [[nodiscard]] std::vector<Trial> Globals() {
    std::vector<Trial> globals;
    for (const SpacePoint& point : GlobalPoints(problem_.space)) {
      Trial& trial = globals.emplace_back();
      trial.candidate = CandidateAt(problem_.space, point);
      std::visit([&](auto outcome) { trial.outcome = std::move(outcome); },
                 measurer_.Measure(ResolvePrecision(graph_, trial.candidate.options, target_)));
    }
    return globals;
  }

  static double QualityOf(const std::vector<Trial>& trials) {
    std::vector<Objectives> objectives;
    for (const Trial& trial : trials) {
      if (trial.measurement() != nullptr) {
        objectives.push_back(ObjectivesOf(*trial.measurement()));
      }
    }
    return FrontQuality(objectives);
  }

  Graph graph_ = ChainNetwork(20);
  TargetSpec target_ = ChainTarget();
  TuneProblem problem_{graph_, target_, MakeSearchSpace(graph_, target_)};
  FakeMeasurer measurer_{graph_};
};

TEST_F(ShortBudgetTest, KeepsTheOperatorThatSpoilsTheResult) {
  const std::vector<Trial> trials = Trials();
  ASSERT_EQ(trials.size(), kPlans);
  EXPECT_TRUE(std::ranges::any_of(trials, [](const Trial& trial) {
    const auto& keep = trial.candidate.options.keep_dtype;
    return std::ranges::find(keep, "mm7") != keep.end() && keep.size() < 10 &&
           trial.low_precision_nodes.size() > 20;
  }));
}

// Implementations of single operators, which no set of the space has.
TEST_F(ShortBudgetTest, ReachesImplementationsOfSingleOperators) {
  EXPECT_TRUE(std::ranges::any_of(Trials(), [](const Trial& trial) {
    return !trial.candidate.options.impl_mode_by_node.empty();
  }));
}

// A product that overflows float16: the rounds learn that, and of the plans with other
// implementations those that lower it are the last.
TEST_F(ShortBudgetTest, OtherImplementationsOfTheWholeNetworkComeByPromise) {
  measurer_.rejects_float16 = {"mm1"};
  const std::vector<Trial> trials = Trials(60);
  std::vector<Candidate> others;
  for (const SpacePoint& point : GlobalPoints(problem_.space)) {
    if (point.impl_mode_set != 0) {
      others.push_back(CandidateAt(problem_.space, point));
    }
  }
  std::string outcomes;  // of those plans, in the order proposed
  for (const Trial& trial : trials) {
    if (std::ranges::find(others, trial.candidate) != others.end()) {
      outcomes += trial.measurement() != nullptr ? 'm' : 'r';
    }
  }
  EXPECT_NE(outcomes.find('m'), std::string::npos) << outcomes;
  EXPECT_NE(outcomes.find('r'), std::string::npos) << outcomes;
  EXPECT_EQ(outcomes.find("rm"), std::string::npos) << outcomes;
}

TEST_F(ShortBudgetTest, FindsMoreThanAllPlansOfTheWholeNetwork) {
  ASSERT_GT(Globals().size(), kPlans);
  EXPECT_GT(QualityOf(Trials()), QualityOf(Globals()));
}

// A target that refuses the network in every mode is asked once a mode: 7 modes x 2^6 keep sets x 5
// sets of implementations were tried, up to a thousand without a plan.
TEST(UnsupportedModesTest, AreTriedOnceEach) {
  const Graph graph = ChainNetwork(3);
  TargetSpec target = ChainTarget();
  target.ai_core.erase("Relu");
  const TuneProblem problem{graph, target, MakeSearchSpace(graph, target)};
  for (const StrategyRow& row : AllStrategies()) {
    if (row.needs_network) {
      continue;  // there is nothing to probe
    }
    FakeMeasurer measurer(graph);
    const auto strategy = MakeStrategy(row.name, problem.space);
    const Searched searched = RunSearch(problem, *strategy, measurer, {}, {}, {});
    EXPECT_EQ(searched.trials.size(), problem.space.modes.size()) << row.name;
    EXPECT_EQ(searched.stop_reason, "nothing left to propose") << row.name;
    EXPECT_EQ(searched.measured, 0U) << row.name;
  }
}

// The latency of the fastest measured plan that meets the goal among the first `plans`.
double FastestWithin(const Constraints& goal, const std::vector<Trial>& trials, std::size_t plans) {
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(plans, trials.size()); ++i) {
    const Measurement* measurement = trials[i].measurement();
    if (measurement != nullptr && !Violation(goal, *measurement, std::nullopt)) {
      fastest = std::min(fastest, measurement->latency.ratio);
    }
  }
  return fastest;
}

// Where time is for few plans, float32 is measured first, then plans that are predicted to meet the
// bound: eight reach 0.9 of the speed that a long search finds, whatever the probes are off by.
TEST_F(ShortBudgetTest, WalksToTheBound) {
  for (int i = 0; i < 20; ++i) {
    measurer_.sensitivity["mm" + std::to_string(i)] = std::pow(3.0, (i * 7) % 10) / 100;
  }
  for (const double bound : {0.002, 0.02, 0.2}) {
    const Constraints goal{.max_rel_l2 = bound};
    const auto trials_of = [&](std::optional<double> affordable, double factor, std::size_t plans) {
      PlantedProber prober(measurer_, factor);
      const auto strategy = StrategyWith(prober, affordable, goal);
      return RunSearch(problem_, *strategy, measurer_, {.max_trials = plans}, {}, {}).trials;
    };
    const double best = FastestWithin(goal, trials_of(std::nullopt, 1, 400), 400);
    ASSERT_LT(best, 1);
    for (const double factor : {0.5, 1.0, 2.0}) {
      SCOPED_TRACE(std::to_string(bound) + ", errors of probes by " + std::to_string(factor));
      const std::vector<Trial> trials = trials_of(9, factor, 9);
      ASSERT_FALSE(trials.empty());
      EXPECT_EQ(trials.front().candidate.options.precision_mode, "must_keep_origin_dtype");
      EXPECT_LE(FastestWithin(goal, trials, 9), best / 0.9);
    }
  }
}

// Without a bound the front is spread, and no phase of global plans comes first.
TEST_F(ShortBudgetTest, GlobalPlansAreCandidatesLikeOthers) {
  PlantedProber prober(measurer_, 1);
  const auto strategy = StrategyWith(prober, 6);
  const std::vector<Trial> few =
      RunSearch(problem_, *strategy, measurer_, {.max_trials = 6}, {}, {}).trials;
  EXPECT_EQ(prober.calls, 1) << "probed before the sixth plan";
  EXPECT_GT(QualityOf(few), 1.1 * QualityOf(Trials(6)));
}

// A prober for which there is no time.
class NoProber : public Prober {
 public:
  Sensitivity Probe(const Decisions& /*decisions*/, std::span<const double> /*losses*/) override {
    Sensitivity none;
    none.complete = false;
    return none;
  }
};

TEST_F(ShortBudgetTest, WithoutProbesTheGlobalPlansFollow) {
  NoProber prober;
  const auto strategy = StrategyWith(prober, 6);
  std::set<Hash128> plans;
  for (const Trial& trial :
       RunSearch(problem_, *strategy, measurer_, {.max_trials = 60}, {}, {}).trials) {
    plans.insert(trial.plan_digest);
  }
  for (const Trial& global : Globals()) {
    EXPECT_TRUE(
        plans.contains(ResolvePrecision(graph_, global.candidate.options, target_).Digest()));
  }
}

// The best of the modes with other implementations is not behind all modes.
TEST_F(ShortBudgetTest, WithoutProbesEachKindOfGlobalPlansHasItsTurn) {
  NoProber prober;
  const auto strategy = StrategyWith(prober, 6);
  const std::vector<SpacePoint> points = GlobalPoints(problem_.space);
  std::vector<std::size_t> sets;
  for (int i = 0; i < 5; ++i) {
    const std::vector<Candidate> candidates = strategy->Suggest(1);
    ASSERT_EQ(candidates.size(), 1U);
    const auto point = std::ranges::find_if(points, [&](const SpacePoint& global) {
      return CandidateAt(problem_.space, global) == candidates.front();
    });
    ASSERT_NE(point, points.end());
    sets.push_back(point->impl_mode_set);
    Trial trial{.candidate = candidates.front()};
    trial.outcome = Rejection{"not measured"};
    strategy->Update({&trial, 1});
  }
  const std::size_t fast = sets[2];
  EXPECT_EQ(problem_.space.impl_mode_sets[fast].name, "high_performance");
  EXPECT_EQ(sets, (std::vector<std::size_t>{0, 0, fast, 0, fast})) << "float32, then in turns";
}

// Its figures are those of the anchor; one of few plans is better spent on another.
TEST_F(ShortBudgetTest, Float32ComesLastWhereTimeIsForVeryFewPlans) {
  for (const auto& [affordable, first] : {std::pair(2.0, false), std::pair(6.0, true)}) {
    NoProber prober;
    const auto strategy = StrategyWith(prober, affordable);
    const std::vector<Trial> trials =
        RunSearch(problem_, *strategy, measurer_, {.max_trials = 3}, {}, {}).trials;
    ASSERT_EQ(trials.size(), 3U);
    const auto is_float32 = [](const Trial& trial) {
      return trial.candidate.options.precision_mode == "must_keep_origin_dtype";
    };
    EXPECT_EQ(is_float32(trials.front()), first);
    EXPECT_EQ(std::ranges::count_if(trials, is_float32), first ? 1 : 0);
  }
}

}  // namespace
}  // namespace halftone
