// Samples and probes within a budget in time, by planted times.
#include "src/api/tune/fit_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/strategies/model_strategy.h"
#include "src/api/tune/timed_prober.h"
#include "src/exec/host_target.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CountsWithinTest, FastNetworksKeepAllSamples) {
  const std::vector<ShapeSamples> all = {{.run_s = 0.05, .search = 36, .heldout = 12}};
  EXPECT_EQ(CountsWithin(all, 90), all);
}

TEST(CountsWithinTest, SlowNetworksHaveAPowerOfTwoOfThem) {
  // 4 % of 90 s are 3.6 s, and a tenth of it for five passes 1.8 s each.
  EXPECT_THAT(CountsWithin({{.run_s = 0.3, .search = 36, .heldout = 12}}, 90),
              ElementsAre(ShapeSamples{.run_s = 0.3, .search = 9, .heldout = 6}));
  EXPECT_THAT(CountsWithin({{.run_s = 0.33, .search = 36, .heldout = 12}}, 90),
              ElementsAre(ShapeSamples{.run_s = 0.33, .search = 9, .heldout = 3}))
      << "a machine that is a little slower has the same search samples";
}

TEST(CountsWithinTest, OneSampleAShapeStays) {
  EXPECT_THAT(CountsWithin({{.run_s = 6, .search = 36, .heldout = 12},
                            {.run_s = 9, .search = 10, .heldout = 2}},
                           90),
              ElementsAre(ShapeSamples{.run_s = 6, .search = 1, .heldout = 0},
                          ShapeSamples{.run_s = 9, .search = 1, .heldout = 0}));
}

class CountingProber : public Prober {
 public:
  Sensitivity Probe(const Decisions& /*decisions*/, std::span<const double> /*losses*/) override {
    ++calls;
    return {};
  }

  int calls = 0;
};

TEST(TimedProberTest, ProbesBeginOnlyWhereTheyLeaveTimeForPlans) {
  const Graph graph = testing::ChainNetwork(3);
  const TargetSpec target = testing::ChainTarget();
  const Decisions decisions(graph, target,
                            DecisionOptionsOf(MakeSearchSpace(graph, target), target));
  double now_s = 0;
  TimeBudget budget(100, [&] { return now_s; });
  CountingProber inner;
  const ProbeCosts costs{.run_s = 1, .compile_s = 0};
  const double least_s = LeastProbeSeconds(decisions, costs);
  ASSERT_GT(least_s, 0);
  TimedProber prober(inner, budget, costs);
  now_s = 100 - 1.5 * least_s - 1;
  EXPECT_TRUE(prober.Probe(decisions, {}).complete);
  now_s = 100 - 1.5 * least_s + 1;
  EXPECT_FALSE(prober.Probe(decisions, {}).complete);
  EXPECT_EQ(inner.calls, 1);
}

}  // namespace
}  // namespace halftone
