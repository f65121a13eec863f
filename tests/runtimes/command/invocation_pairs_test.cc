// The truth is planted: medians of invocations with a known ratio, spread and drift.
#include "src/runtimes/command/invocation_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/base/rng.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

// A machine on which float32 takes 1 ms and the candidate `ratio` times that, with normal
// logarithms: `spread` from call to call, `within` from run to run.
struct Machine {
  double ratio = 1;
  double spread = 0;
  double within = 0;
  double drift = 0;  // of the logarithm, a call
  std::size_t runs = 20;
  double wall_s = 1;
  Rng rng{1};
  int calls = 0;

  Invocation Call(bool candidate) {
    const double level =
        std::log(1e-3 * (candidate ? ratio : 1)) + spread * rng.Normal() + drift * calls++;
    Invocation invocation{.latencies_s = {}, .wall_s = wall_s};
    for (std::size_t i = 0; i < runs; ++i) {
      invocation.latencies_s.push_back(std::exp(level + within * rng.Normal()));
    }
    return invocation;
  }
};

Latency Measure(Machine& machine, InvocationSpread& spread, double& last_s,
                const InvocationPairsOptions& options) {
  const auto latency = MeasureInvocationPairs(
      [&](bool candidate) -> std::optional<Invocation> { return machine.Call(candidate); }, spread,
      last_s, options);
  EXPECT_TRUE(latency);
  return latency.value_or(Latency{});
}

// Share of measurements whose interval holds the planted ratio, in sessions of 10 candidates each.
double Coverage(const Machine& planted, const InvocationPairsOptions& options) {
  int held = 0;
  int all = 0;
  for (int session = 0; session < 100; ++session) {
    Machine machine = planted;
    machine.rng = Rng(static_cast<std::uint64_t>(session) + 1);
    InvocationSpread spread;
    double last_s = 0;
    for (int candidate = 0; candidate < 10; ++candidate) {
      InvocationPairsOptions own = options;
      own.seed = machine.rng.Next();
      const Latency latency = Measure(machine, spread, last_s, own);
      held += latency.ratio_interval.low <= planted.ratio &&
                      planted.ratio <= latency.ratio_interval.high
                  ? 1
                  : 0;
      ++all;
    }
  }
  return 1.0 * held / all;
}

// 1000 measurements, not all independent (a session shares its spread): three standard errors of
// 300 independent ones.
constexpr double kEnough = 0.95 - 3 * 0.0126;

TEST(InvocationPairsTest, IntervalsHoldThePlantedRatio) {
  EXPECT_GE(Coverage({.ratio = 0.7, .spread = 0.002, .within = 0.01}, {.budget_s = 1}), kEnough);
  EXPECT_GE(Coverage({.ratio = 0.9, .spread = 0.02, .within = 0.01}, {.budget_s = 1}), kEnough);
  EXPECT_GE(Coverage({.ratio = 1.2, .spread = 0.02, .within = 0}, {.budget_s = 30}), kEnough);
}

// A tool that prints one median: all spread is between calls.
TEST(InvocationPairsTest, SummariesHaveAnHonestInterval) {
  const Machine one = {.ratio = 0.9, .spread = 0.01, .within = 0, .runs = 1};
  EXPECT_GE(Coverage(one, {.budget_s = 1}), kEnough);
}

// Calls agree exactly, runs do not: few runs leave the medians uncertain.
TEST(InvocationPairsTest, SpreadWithinCallsCounts) {
  Machine machine = {.ratio = 1, .spread = 0, .within = 0.1, .runs = 11};
  InvocationSpread spread;
  for (int i = 0; i < 8; ++i) {
    spread.Add(1e-3, 1e-3);  // a session of luck
  }
  double last_s = 0;  // nothing in this call adds to the spread
  const Latency latency = Measure(machine, spread, last_s, {.budget_s = 0});
  EXPECT_EQ(latency.candidate_samples_s.size(), 1U);
  EXPECT_GT(latency.ratio_interval.half_width(), 0.05);
}

TEST(InvocationPairsTest, TheSpreadDecidesHowManyPairs) {
  InvocationSpread spread;
  EXPECT_EQ(spread.Repeats(), 2);
  spread.Add(1, std::exp(0.001));
  EXPECT_EQ(spread.Repeats(), 1);
  EXPECT_NEAR(spread.sigma(), 0.001 / std::sqrt(2.0), 1e-12);
  spread.Add(1, std::exp(0.1));
  EXPECT_EQ(spread.Repeats(), 6);
}

TEST(InvocationPairsTest, OnePairAtLeastAndMoreForMoreTime) {
  Machine machine = {.ratio = 1, .spread = 1e-4, .wall_s = 1};
  InvocationSpread spread;
  spread.Add(1, 1.001);
  double last_s = 1e-3;
  EXPECT_EQ(Measure(machine, spread, last_s, {.budget_s = 0}).anchor_samples_s.size(), 1U);
  spread = {};
  for (int i = 0; i < 30; ++i) {
    spread.Add(1, 1.05);
  }
  machine.spread = 0.05;
  EXPECT_EQ(Measure(machine, spread, last_s, {.budget_s = 0}).anchor_samples_s.size(), 6U);
  EXPECT_EQ(Measure(machine, spread, last_s, {.budget_s = 40}).anchor_samples_s.size(), 20U);
}

TEST(InvocationPairsTest, EndsWhenItIsNarrowEnough) {
  Machine machine = {.ratio = 0.8, .spread = 1e-5, .within = 1e-5};
  InvocationSpread spread;
  double last_s = 0;
  const Latency latency = Measure(machine, spread, last_s, {.budget_s = 1000});
  EXPECT_LT(latency.anchor_samples_s.size(), 8U);
  EXPECT_NEAR(latency.ratio, 0.8, 1e-3);
  EXPECT_FALSE(latency.raced);
}

TEST(InvocationPairsTest, EndsWhenTheRaceIsLost) {
  Machine machine = {.ratio = 1.5, .spread = 0.01, .within = 0.01};
  InvocationSpread spread;
  for (int i = 0; i < 20; ++i) {
    spread.Add(1, 1.01);
  }
  double last_s = 1e-3;
  const Latency latency = Measure(machine, spread, last_s,
                                  {.budget_s = 40, .give_up_above = 1.2, .target_half_width = 0});
  EXPECT_TRUE(latency.raced);
  EXPECT_EQ(latency.candidate_samples_s.size(), 1U);
  EXPECT_GT(latency.ratio_interval.low, 1.2);
}

// A machine that slows down by 1 % a call: the order AB BA cancels it over two pairs.
TEST(InvocationPairsTest, LinearDriftCancels) {
  Machine machine = {.ratio = 0.9, .spread = 0, .within = 0, .drift = 0.01};
  InvocationSpread spread;
  double last_s = 0;
  const Latency latency =
      Measure(machine, spread, last_s, {.budget_s = 4.5, .target_half_width = 0});
  EXPECT_EQ(latency.candidate_samples_s.size(), 2U);
  EXPECT_NEAR(latency.ratio, 0.9, 1e-4);  // the mean of exp(+-0.01) is 1 + 5e-5
}

TEST(InvocationPairsTest, TheFirstLookIsWideWithoutASession) {
  Machine machine = {.ratio = 0.9, .spread = 0.01, .within = 0.01};
  InvocationSpread spread;
  double last_s = 0;
  const Latency latency = Measure(machine, spread, last_s, {.budget_s = 0});
  EXPECT_EQ(latency.candidate_samples_s.size(), 2U);
  EXPECT_TRUE(std::isfinite(latency.ratio_interval.high));
  EXPECT_LT(latency.ratio_interval.low, 0.9);
  EXPECT_GT(latency.ratio_interval.high, 0.9);
}

TEST(InvocationPairsTest, ACandidateThatDoesNotRunEndsIt) {
  InvocationSpread spread;
  double last_s = 0;
  int calls = 0;
  EXPECT_FALSE(MeasureInvocationPairs(
      [&](bool candidate) -> std::optional<Invocation> {
        ++calls;
        return candidate ? std::nullopt
                         : std::optional(Invocation{.latencies_s = {1}, .wall_s = 1});
      },
      spread, last_s, {}));
  EXPECT_LE(calls, 2);
}

}  // namespace
}  // namespace halftone
