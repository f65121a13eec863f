// Operator tuning on synthetic time: the truth is planted, no clock runs.
#include "search/operators/operator_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "src/base/rng.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A network whose clock is the sum of what ran. Noise as on the development machine
// (tests/search/measure/paired_rounds_test.cc).
class PlantedTimer : public OperatorTimer {
 public:
  // True seconds of each kernel of each operator, all its steps together.
  explicit PlantedTimer(std::vector<std::vector<double>> kernel_s)
      : kernel_s_(std::move(kernel_s)) {}

  void Prepare(std::span<const KernelAssignment> variants) override {
    prepared.emplace_back(variants.begin(), variants.end());
    dropped.emplace_back();
  }

  OperatorSample TakeSample(std::size_t variant) override {
    order.push_back(variant);
    EXPECT_THAT(dropped.back(), ::testing::Not(::testing::Contains(variant)));
    OperatorSample sample;
    const double drift = 1 + 0.05 * std::sin(2 * std::numbers::pi * now_s / 0.7);
    for (std::size_t op = 0; op < kernel_s_.size(); ++op) {
      double factor = drift * (1 + noise * std::abs(rng.Normal()));
      factor *= rng.Uniform() < spike_share ? 2.8 : 1;
      const std::size_t kernel = prepared.back()[variant][op];
      // The place of the buffers: better for all that is not the static order, until they are new.
      factor *= kernel != 0 && prepared.size() == 1 ? lucky_place : 1;
      sample.operator_s.push_back(kernel_s_[op][kernel] * factor);
      sample.spent_s += sample.operator_s.back();
    }
    now_s += sample.spent_s;
    return sample;
  }

  void Drop(std::size_t variant) override { dropped.back().push_back(variant); }

  double noise = 0.02;
  double spike_share = 0;
  double lucky_place = 1;
  double now_s = 0;
  Rng rng{1};
  std::vector<std::vector<KernelAssignment>> prepared;  // by phase
  std::vector<std::vector<std::size_t>> dropped;        // likewise
  std::vector<std::size_t> order;

 private:
  std::vector<std::vector<double>> kernel_s_;
};

std::vector<ContestedOperator> Operators(const std::vector<std::size_t>& kernel_counts) {
  std::vector<ContestedOperator> operators;
  for (const std::size_t count : kernel_counts) {
    ContestedOperator& op = operators.emplace_back();
    op.signature = "op" + std::to_string(operators.size() - 1);
    for (std::size_t k = 0; k < count; ++k) {
      op.kernels.push_back("k" + std::to_string(k));
    }
  }
  return operators;
}

std::vector<std::string> KernelsOf(const std::vector<OperatorTiming>& timings) {
  std::vector<std::string> kernels;
  for (const OperatorTiming& timing : timings) {
    kernels.push_back(timing.kernel);
  }
  return kernels;
}

constexpr double kMs = 1e-3;

TEST(OperatorTunerTest, FindsThePlantedKernels) {
  PlantedTimer timer({{1 * kMs, 0.8 * kMs},                        // the other one
                      {1 * kMs, 1.3 * kMs, 0.5 * kMs, 0.6 * kMs},  // the third of four
                      {1 * kMs, 1.2 * kMs},                        // the static one
                      {2 * kMs, 1.4 * kMs, 1.9 * kMs}});
  timer.spike_share = 0.05;
  const auto timings = TuneOperators(Operators({2, 4, 2, 3}), timer);
  EXPECT_THAT(KernelsOf(timings), ElementsAre("k1", "k2", "k0", "k1"));
  const double ratios[] = {0.8, 0.5, 1, 0.7};
  for (std::size_t op = 0; op < timings.size(); ++op) {
    EXPECT_EQ(timings[op].signature, "op" + std::to_string(op));
    EXPECT_EQ(timings[op].static_kernel, "k0");
    // Within a standard deviation of a single sample, which the median is well inside of.
    EXPECT_NEAR(timings[op].ratio, ratios[op], 0.02) << op;
    EXPECT_LE(timings[op].ratio_interval.low, timings[op].ratio);
    EXPECT_GE(timings[op].ratio_interval.high, timings[op].ratio);
    EXPECT_GE(timings[op].rounds, 10);
    EXPECT_NEAR(timings[op].static_s, op == 3 ? 2 * kMs : kMs, 0.1 * kMs);
  }
}

// Of 100 machines: a gain beyond the tie is found, one within the tie is left alone.
struct TieCase {
  const char* name;
  double ratio;
  bool memory_bound;
  double static_s;
  double share;  // of machines that choose the other kernel: at least, or with 0 at most 2 %
};

class OperatorTunerTie : public ::testing::TestWithParam<TieCase> {};

TEST_P(OperatorTunerTie, DecidesWhoIsFaster) {
  const TieCase& row = GetParam();
  constexpr int kMachines = 100;
  int chosen = 0;
  for (int machine = 0; machine < kMachines; ++machine) {
    PlantedTimer timer({{row.static_s, row.ratio * row.static_s}, {kMs, 1.1 * kMs}});
    timer.rng = Rng(static_cast<std::uint64_t>(100 + machine));
    auto operators = Operators({2, 2});
    operators[0].memory_bound = row.memory_bound;
    const auto timings = TuneOperators(operators, timer, {.budget_s = 1});
    ASSERT_THAT(timings, SizeIs(2));
    chosen += timings[0].tuned() ? 1 : 0;
    EXPECT_FALSE(timings[1].tuned());
  }
  if (row.share > 0) {
    EXPECT_GE(chosen, row.share * kMachines);
  } else {
    EXPECT_LE(chosen, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Ties, OperatorTunerTie,
                         ::testing::Values(TieCase{"equal", 1, false, kMs, 0},
                                           TieCase{"within_one_percent", 0.992, false, kMs, 0},
                                           TieCase{"beyond", 0.96, false, kMs, 0.95},
                                           TieCase{"memory_bound_within", 0.975, true, kMs, 0},
                                           TieCase{"memory_bound_beyond", 0.93, true, kMs, 0.95},
                                           TieCase{"short_within", 0.975, false, 1e-5, 0}),
                         [](const auto& param) { return param.param.name; });

// The first measurement was of a lucky place: with other buffers the gain is gone.
TEST(OperatorTunerTest, WinnersMustWinAgainWithOtherBuffers) {
  PlantedTimer timer({{kMs, kMs}, {kMs, 0.7 * kMs}});
  timer.lucky_place = 0.9;
  const auto timings = TuneOperators(Operators({2, 2}), timer);
  EXPECT_THAT(KernelsOf(timings), ElementsAre("k0", "k1"));
  ASSERT_THAT(timer.prepared, SizeIs(2));
  EXPECT_THAT(timer.prepared[1], ElementsAre(KernelAssignment{0, 0}, KernelAssignment{1, 1}));
  EXPECT_NEAR(timings[1].ratio, 0.7, 0.02) << "of the second measurement, not 0.63";
}

TEST(OperatorTunerTest, VariantsHoldOneCandidateOfEachOperator) {
  PlantedTimer timer({{kMs, kMs, kMs}, {kMs, kMs}});
  TuneOperators(Operators({3, 2}), timer, {.budget_s = 0});
  EXPECT_THAT(timer.prepared.at(0),
              ElementsAre(KernelAssignment{0, 0}, KernelAssignment{1, 1}, KernelAssignment{2, 0}));
  ASSERT_GE(timer.order.size(), 30U) << "ten rounds of three";
  for (std::size_t pair = 0; pair < 5; ++pair) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(timer.order[6 * pair + i], timer.order[6 * pair + 5 - i]) << "AB BA";
    }
  }
}

TEST(OperatorTunerTest, LosersAreDroppedAndTheRaceEnds) {
  PlantedTimer timer({{kMs, 2 * kMs, 0.5 * kMs}, {kMs, 3 * kMs, 3 * kMs}});
  TuneOperators(Operators({3, 3}), timer, {.budget_s = 1000});
  EXPECT_THAT(timer.dropped[0], ElementsAre(1));
  EXPECT_LT(timer.now_s, 1) << "what is clear needs no budget";
}

TEST(OperatorTunerTest, TheBudgetHoldsBeyondMinRounds) {
  PlantedTimer timer({{kMs, 0.985 * kMs}});
  timer.noise = 0.5;  // nothing gets narrow
  TuneOperators(Operators({2}), timer, {.budget_s = 0.2, .max_rounds = 100000});
  EXPECT_LT(timer.now_s, 0.2 + 2 * 0.01) << "a round or two beyond";
  EXPECT_GE(timer.order.size(), 20U) << "two variants, ten rounds";
}

TEST(OperatorTunerTest, AStopKeepsWhatIsDecided) {
  PlantedTimer timer({{kMs, 2 * kMs}, {kMs, 0.5 * kMs}});
  std::size_t rounds = 0;
  bool confirming = false;
  OperatorTunerHooks hooks;
  hooks.on_progress = [&](const OperatorTunerProgress& now) {
    ++rounds;
    confirming = now.confirming;
  };
  hooks.stop_requested = [&] { return confirming; };
  const auto timings = TuneOperators(Operators({2, 2}), timer, {}, hooks);
  ASSERT_THAT(timings, SizeIs(1)) << "the winner of the race is not confirmed";
  EXPECT_EQ(timings[0].signature, "op0");
  EXPECT_FALSE(timings[0].tuned());

  hooks.stop_requested = [] { return true; };
  rounds = 0;
  EXPECT_THAT(TuneOperators(Operators({2, 2}), timer, {}, hooks), IsEmpty());
  EXPECT_EQ(rounds, 0U);
}

TEST(OperatorTunerTest, TimesBelowTheClocksResolutionAreATie) {
  PlantedTimer timer({{0, 0}, {kMs, 2 * kMs}});
  const auto timings = TuneOperators(Operators({2, 2}), timer);
  EXPECT_THAT(KernelsOf(timings), ElementsAre("k0", "k0"));
  EXPECT_EQ(timings[0].ratio, 1);
}

TEST(OperatorTunerTest, EqualOperatorsShareTheTimeOfOneCall) {
  PlantedTimer timer({{1 * kMs, 0.5 * kMs}});
  timer.noise = 0;
  auto operators = Operators({2});
  operators[0].count = 10;
  EXPECT_NEAR(TuneOperators(operators, timer).at(0).static_s, 0.1 * kMs, 0.01 * kMs);
}

TEST(OperatorTunerTest, IsDeterministic) {
  PlantedTimer first({{kMs, 0.9 * kMs, 0.95 * kMs}});
  PlantedTimer second({{kMs, 0.9 * kMs, 0.95 * kMs}});
  EXPECT_EQ(TuneOperators(Operators({3}), first, {.seed = 5}),
            TuneOperators(Operators({3}), second, {.seed = 5}));
}

TEST(OperatorTunerTest, NothingToTuneRunsNothing) {
  PlantedTimer timer({});
  EXPECT_THAT(TuneOperators({}, timer), IsEmpty());
  EXPECT_THAT(timer.prepared, IsEmpty());
}

}  // namespace
}  // namespace halftone
