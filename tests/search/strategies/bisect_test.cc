// The strategy by halving on a network whose truth is known: FakeMeasurer computes it from the
// plan.
#include "search/strategies/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
  const TunerResult result =
      RunTuner({graph, target, space}, *strategy, measurer, {.max_trials = 400}, {}, {});
  const bool found =
      std::any_of(result.trials.begin(), result.trials.end(), [](const Trial& trial) {
        return trial.kept_nodes == std::vector<std::string>{"mm5"} &&
               trial.measurement() != nullptr &&
               ObjectivesOf(*trial.measurement()).loss <= std::pow(10, -30 / 20.0);
      });
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace halftone
