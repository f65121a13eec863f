#include "search/measure/compare_executables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

// What a comparison takes by its own options: each placement compiles both, warms up and times.
double SecondsOf(const CompareOptions& options, const CompareCosts& costs) {
  const bool slow = costs.run_s > 2 * PairedRoundsOptions().slow_run_s;
  const double budget_s = options.budget_s * (slow ? options.slow_budget_factor : 1);
  const double rounds_s = costs.run_s * (options.warm_up_runs + options.min_rounds);
  const int placements = slow ? kSlowPlacements : options.placements;
  return placements * 2 * costs.compile_s + std::max(budget_s, placements * rounds_s);
}

TEST(FitIntoTest, WithoutALimitItIsTheWhole) {
  const CompareOptions full{.budget_s = 2, .seed = 7};
  for (const double run_s : {1e-5, 0.03, 0.4, 20.0}) {
    const auto fitted = FitInto(full, {.compile_s = 0.5, .run_s = run_s}, {});
    ASSERT_TRUE(fitted.has_value());
    EXPECT_EQ(fitted->placements, full.placements);
    EXPECT_EQ(fitted->budget_s, full.budget_s);
    EXPECT_EQ(fitted->min_rounds, full.min_rounds);
    EXPECT_EQ(fitted->seed, 7U);
  }
}

// VGG-19 on two cores of Zen 5: 0.7 s to compile, 0.35 s for a run of both.
TEST(FitIntoTest, ASlowNetworkHasFewerRoundsOrNone) {
  const CompareCosts costs{.compile_s = 0.7, .run_s = 0.35};
  const double fewest_s = kSlowPlacements * (2 * 0.7 + 3 * 0.35);  // 9.8
  EXPECT_FALSE(FitInto({}, costs, {.aim_s = 3, .most_s = 4.8}).has_value());
  for (const auto& [most_s, placements] : {std::pair(4.95, 2), std::pair(7.4, 3)}) {
    const auto few = FitInto({}, costs, {.aim_s = most_s, .most_s = most_s});
    ASSERT_TRUE(few.has_value());
    EXPECT_EQ(few->placements, placements);
    EXPECT_LE(few->placements * (2 * 0.7 + 3 * 0.35), most_s);
  }
  const auto shortest = FitInto({}, costs, {.aim_s = 3, .most_s = 12});
  ASSERT_TRUE(shortest.has_value());
  EXPECT_EQ(shortest->placements, kSlowPlacements);
  EXPECT_NEAR(SecondsOf(*shortest, costs), fewest_s, 1e-9);
  const auto longer = FitInto({}, costs, {.aim_s = 12, .most_s = 40});
  ASSERT_TRUE(longer.has_value());
  EXPECT_NEAR(SecondsOf(*longer, costs), 12, 1e-9);
}

// Whatever the costs: as long as is aimed at, or as the fewest rounds need, and never too long.
TEST(FitIntoTest, KeepsItsTime) {
  for (const double compile_s : {0.0, 0.002, 0.1, 3.0}) {
    for (const double run_s : {2e-5, 0.004, 0.09, 0.11, 2.0}) {
      const CompareCosts costs{compile_s, run_s};
      for (const double aim_s : {0.01, 0.5, 3.0, 70.0}) {
        for (const double more : {1.0, 4.0}) {
          const double most_s = aim_s * more;
          const double fewest_s = kSlowPlacements * (2 * compile_s + 3 * run_s);
          const auto fitted = FitInto({}, costs, {.aim_s = aim_s, .most_s = most_s});
          ASSERT_EQ(fitted.has_value(), fewest_s * kFewestPlacements / kSlowPlacements <= most_s);
          if (!fitted) {
            continue;
          }
          EXPECT_GE(fitted->placements, fewest_s <= most_s ? kSlowPlacements : kFewestPlacements);
          EXPECT_LE(fitted->placements, kPlacements);
          EXPECT_GT(fitted->budget_s, 0);
          EXPECT_LE(SecondsOf(*fitted, costs), std::max(aim_s, fewest_s) * (1 + 1e-9))
              << compile_s << " " << run_s << " " << aim_s << " " << more;
        }
      }
    }
  }
}

// Fewer rounds where the whole of them would take too long, and no longer budget.
TEST(QuickRoundsTest, TakeAtMostWhatTheyMayBeyondTheFewest) {
  for (const double run_s : {1e-4, 0.03, 0.2, 2.0}) {
    for (const double most_s : {0.02, 0.3, 2.0, 60.0}) {
      SCOPED_TRACE(::testing::Message() << run_s << " s a run, " << most_s << " s");
      const PairedRoundsOptions rounds = QuickRounds(0.3, most_s);
      EXPECT_LE(rounds.budget_s * rounds.slow_budget_factor, std::max(most_s, rounds.budget_s));
      const int runs = LeastRuns(rounds, run_s);
      EXPECT_GE(runs, 1 + kFewestRounds);
      EXPECT_LE(runs, PairedRoundsOptions().warm_up_runs + kQuickRounds);
      // Warm-up and rounds of both, each with one run beyond its share.
      EXPECT_LE(2 * runs * run_s, std::max(1.5 * most_s + 4 * run_s, 2 * 3 * run_s));
    }
  }
  const PairedRoundsOptions whole = QuickRounds(0.3, std::numeric_limits<double>::infinity());
  EXPECT_EQ(whole.budget_s, 0.3);
  EXPECT_EQ(whole.slow_budget_factor, CompareOptions().slow_budget_factor);
  EXPECT_EQ(LeastRuns(whole, 0.01), PairedRoundsOptions().warm_up_runs + kQuickRounds);
}

TEST(PlacementsToKeepTest, SmallNetworksKeepAllLargeOnesNone) {
  EXPECT_EQ(PlacementsToKeep(0), std::size_t{kPlacements});
  EXPECT_EQ(PlacementsToKeep(std::int64_t{1} << 20), std::size_t{kPlacements});
  EXPECT_EQ(PlacementsToKeep(std::int64_t{1} << 28), 3U) << "four of 256 MiB are a GiB";
  EXPECT_EQ(PlacementsToKeep(std::int64_t{1} << 29), 1U);
  EXPECT_EQ(PlacementsToKeep((std::int64_t{1} << 29) + 1), 0U);
  EXPECT_EQ(PlacementsToKeep(std::int64_t{1} << 40), 0U);
}

// x + c; the constant lies in `memory`.
Graph AddOf(const std::shared_ptr<const std::byte[]>& memory) {
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 8});
  const ValueId c = builder.Constant("c", Tensor({DType::kFloat32, Shape{1, 8}}, memory));
  return builder.Finish({builder.Add(OpKind::kAdd, "add", {x, c})});
}

// Most owners of the constant whenever an executable is about to be made, in three placements.
long MostOwners(std::int64_t constant_bytes) {
  auto* const bytes = static_cast<std::byte*>(std::aligned_alloc(Tensor::kAlignment, 64));
  std::fill_n(bytes, 64, std::byte{0});
  const std::shared_ptr<const std::byte[]> owned(
      bytes, [](const std::byte* block) { std::free(const_cast<std::byte*>(block)); });
  const Graph graph = AddOf(owned);
  const Sample sample{.name = "sample", .inputs = {Tensor(DType::kFloat32, Shape{1, 8})}};
  const ThreadPool pool(1);
  long most = 0;
  const auto compile = [&] {
    most = std::max(most, owned.use_count());
    return Compile(graph, ReferencePlan(graph));
  };
  const Latency latency = CompareExecutables(
      compile, compile, sample, pool,
      {.budget_s = 1e-3, .placements = 3, .min_rounds = 1, .constant_bytes = constant_bytes});
  EXPECT_GE(latency.candidate_samples_s.size(), 3U) << "each placement has a round";
  return most;
}

TEST(CompareExecutablesTest, OfALargeNetworkOnePlacementIsAliveAtATime) {
  const long of_one = MostOwners(std::int64_t{1} << 40);
  const long of_three = MostOwners(0);
  // The graph has one owner besides the test; five executables live when the sixth is made.
  const long of_each = of_one - 2;
  ASSERT_GT(of_each, 0);
  EXPECT_EQ(of_three, 2 + 5 * of_each);
}

TEST(CompareExecutablesTest, WithoutTimeTheFewestPlacementsAreCompared) {
  const TensorType type{DType::kFloat32, Shape{1, 8}};
  const Tensor constant(type);
  const Graph graph = AddOf(std::shared_ptr<const std::byte[]>(
      constant.data(), [keep = constant](const std::byte* /*block*/) {}));
  const Sample sample{.name = "sample", .inputs = {Tensor(type)}};
  const ThreadPool pool(1);
  for (const double most_s : {0.0, std::numeric_limits<double>::infinity()}) {
    int made = 0;
    const auto compile = [&] {
      ++made;
      return Compile(graph, ReferencePlan(graph));
    };
    CompareExecutables(compile, compile, sample, pool,
                       {.budget_s = 1e-3,
                        .placements = 3,
                        .min_rounds = 1,
                        .min_rounds_s = 0,
                        .most_s = most_s,
                        .stop_requested = {}});
    EXPECT_EQ(made, 2 * (most_s == 0 ? kFewestPlacements : 3));
  }
}

}  // namespace
}  // namespace halftone
