// The strategy by halving on a network whose truth is known: FakeMeasurer computes it from the
// plan.
#include "search/strategies/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "search/tuner.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using testing::FakeMeasurer;

// One operator spoils the result: halving finds it in at most 2 log2(n) steps a bound.
TEST(BisectTest, KeepsTheOperatorThatSpoilsTheResult) {
  const Graph graph = ChainNetwork(8);
  FakeMeasurer measurer(graph);
  measurer.sensitivity = {{"mm5", 1000}};
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  const auto strategy = MakeStrategy("bisect", space, {.seed = 1});
  const Confirmed result =
      RunTuner({graph, target, space}, *strategy, measurer, {.max_trials = 400}, {}, {});
  const bool found =
      std::any_of(result.trials.begin(), result.trials.end(), [](const Trial& trial) {
        return trial.kept_nodes == std::vector<std::string>{"mm5"} &&
               trial.measurement() != nullptr &&
               ObjectivesOf(*trial.measurement()).loss <= std::pow(10, -30 / 20.0);
      });
  EXPECT_TRUE(found);
}

// A bound that all modes meet leaves nothing to halve.
TEST(BisectTest, LooserBoundsTakeFewerPlans) {
  const Graph graph = ChainNetwork(8);
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  const auto plans = [&](std::string_view text) {
    FakeMeasurer measurer(graph);
    measurer.sensitivity = {{"mm5", 100}};  // 26 dB in float16
    const auto strategy = MakeStrategy(text, space);
    const std::size_t most = strategy->forecast().value().most_plans;
    const std::size_t taken =
        RunTuner({graph, target, space}, *strategy, measurer, {.max_trials = 1000}, {}, {})
            .trials.size();
    EXPECT_LE(taken, most) << text;
    return taken;
  };
  EXPECT_LT(plans("bisect:bounds=1,first_db=1"), plans("bisect:bounds=1"));
  EXPECT_LE(plans("bisect:bounds=1"), plans("bisect"));
  EXPECT_EQ(plans("bisect:bounds=4,first_db=30,step_db=10"), plans("bisect"));
}

}  // namespace
}  // namespace halftone
