// The greedy strategy on a network whose truth is known: FakeMeasurer computes it from the plan.
#include "search/strategies/greedy.h"

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

std::vector<Objectives> FrontObjectives(const Confirmed& result) {
  std::vector<Objectives> front;
  for (const std::size_t i : result.front) {
    front.push_back(ObjectivesOf(*result.trials[i].measurement()));
  }
  return front;
}

struct Tuned {
  Confirmed result;
  SearchSpace space;
};

Tuned Tune(const Graph& graph, std::string_view strategy, FakeMeasurer& measurer,
           std::size_t max_trials) {
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  auto search = MakeStrategy(strategy, space, {.seed = 1});
  return {RunTuner({graph, target, space}, *search, measurer, {.max_trials = max_trials}, {}, {}),
          space};
}

TEST(GreedyTest, KeepsTheOperatorThatSpoilsTheResult) {
  const Graph graph = ChainNetwork(8);
  FakeMeasurer measurer(graph);
  measurer.sensitivity = {{"mm5", 1000}};
  const Tuned tuned = Tune(graph, "greedy", measurer, 400);
  // With mm5 in float16 the loss is 1000 x 2^-11 = 0.49 at least; without, that of the 15 others.
  const double others = std::sqrt(15.0) * 2 * 0x1p-11;
  const bool found =
      std::any_of(tuned.result.front.begin(), tuned.result.front.end(), [&](std::size_t i) {
        const Trial& trial = tuned.result.trials[i];
        return trial.kept_nodes.size() == 1 && trial.kept_nodes[0] == "mm5" &&
               ObjectivesOf(*trial.measurement()).loss <= others;
      });
  EXPECT_TRUE(found);
}

TEST(GreedyTest, FindsAKeepSetThatEveryModeNeeds) {
  const Graph graph = ChainNetwork(6);
  FakeMeasurer measurer(graph);
  measurer.rejects_float16 = {"mm1",
                              "mm4"};  // every float16 base is rejected, and every single keep
  const Tuned tuned = Tune(graph, "greedy", measurer, 400);
  const bool found =
      std::any_of(tuned.result.trials.begin(), tuned.result.trials.end(), [](const Trial& trial) {
        return trial.measurement() != nullptr && !trial.low_precision_nodes.empty() &&
               trial.candidate.options.precision_mode == "force_fp16";
      });
  EXPECT_TRUE(found) << "some keep set makes force_fp16 work";
}

TEST(GreedyTest, BeatsRandomOnEqualBudgets) {
  const Graph graph = ChainNetwork(15);
  FakeMeasurer measurer(graph);
  for (int i = 0; i < 15; ++i) {  // a few operators carry most of the error, as in real networks
    measurer.sensitivity["mm" + std::to_string(i)] = std::pow(10.0, i % 4);
  }
  const Objectives reference{1.2, 10};
  const auto greedy = FrontObjectives(Tune(graph, "greedy", measurer, 200).result);
  const auto random = FrontObjectives(Tune(graph, "random", measurer, 200).result);
  EXPECT_GT(Hypervolume(greedy, reference), Hypervolume(random, reference));
}

std::size_t DefaultOf(std::string_view option) {
  return OptionValue(kGreedyOptions, {}, option);
}

// The bound documented in search/strategies/greedy.h, for a network above `probes` operators.
TEST(GreedyTest, ProposesNoMoreThanDocumented) {
  const Graph graph = ChainNetwork(100);
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  ASSERT_EQ(space.keepable_nodes.size(), 200U);
  ASSERT_EQ(space.impl_mode_sets.size(), 5U);
  FakeMeasurer measurer(graph);
  auto strategy = MakeStrategy("greedy", space);
  const Confirmed result = RunTuner({graph, target, space}, *strategy, measurer,
                                    {.max_trials = 100'000, .max_barren = 100'000}, {}, {});
  EXPECT_EQ(result.stop_reason, "nothing left to propose");
  const std::size_t bases = space.modes.size() * 3;
  const std::size_t a_base =
      2 * DefaultOf("probes") + 3 * (8 + 2) + DefaultOf("halvings");  // log2(200) < 8
  const std::size_t types = DefaultOf("type_points") * 2;
  EXPECT_LE(result.trials.size(), bases + DefaultOf("bases") * a_base + types);
  EXPECT_GT(result.trials.size(), bases + DefaultOf("probes"));
}

TEST(GreedyTest, OptionsBoundWhatIsProposed) {
  const Graph graph = ChainNetwork(40);
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  const std::size_t usual = MakeStrategy("greedy", space)->forecast().value().most_plans;
  for (const char* text : {"greedy:probes=4", "greedy:bases=1", "greedy:halvings=0",
                           "greedy:type_points=0", "greedy:bases=2,probes=7,halvings=3"}) {
    FakeMeasurer measurer(graph);
    const auto strategy = MakeStrategy(text, space);
    const std::size_t most = strategy->forecast().value().most_plans;
    const Confirmed result = RunTuner({graph, target, space}, *strategy, measurer,
                                      {.max_trials = 100'000, .max_barren = 100'000}, {}, {});
    EXPECT_EQ(result.stop_reason, "nothing left to propose") << text;
    EXPECT_LE(result.trials.size(), most) << text;
    EXPECT_LT(most, usual) << text;
  }
}

// Without bases only what is of the whole network is left.
TEST(GreedyTest, WithoutBasesNothingIsKept) {
  const Graph graph = ChainNetwork(8);
  FakeMeasurer measurer(graph);
  const Tuned tuned = Tune(graph, "greedy:bases=0", measurer, 400);
  for (const Trial& trial : tuned.result.trials) {
    EXPECT_TRUE(trial.candidate.options.keep_dtype.empty())
        << Summary(trial.candidate, AllVocabularies()[0]);
  }
}

}  // namespace
}  // namespace halftone
