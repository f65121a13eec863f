// Confidence limits: how often they hold on distributions whose mean is known, and their ends.
#include "src/base/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "src/base/rng.h"

namespace halftone {
namespace {

struct CoverageCase {
  const char* name;
  std::function<double(Rng&)> draw;
  double mean;
  double least_share;  // of trials in which the limit holds
};

void PrintTo(const CoverageCase& row, std::ostream* out) {
  *out << row.name;
}

constexpr int kTrials = 300;

class BoundedCoverageTest : public ::testing::TestWithParam<CoverageCase> {};

// The guarantee is 95 %; of 300 trials three standard deviations below it are 91.2 %.
TEST_P(BoundedCoverageTest, HoldsAsOftenAsItSays) {
  const CoverageCase& row = GetParam();
  for (const int n : {1, 5, 40, 200}) {
    Rng rng(7);
    int held = 0;
    double tightest = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) {
        values.push_back(row.draw(rng));
      }
      const double limit = LowerLimitOfBoundedMean(values);
      held += limit <= row.mean ? 1 : 0;
      tightest = std::max(tightest, limit);
    }
    EXPECT_GE(held, row.least_share * kTrials) << n << " values";
    EXPECT_GT(tightest, n >= 40 ? row.mean / 2 : -1) << n << " values: it says something";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Draws, BoundedCoverageTest,
    ::testing::Values(
        CoverageCase{"Uniform", [](Rng& rng) { return rng.Uniform(); }, 0.5, 0.912},
        CoverageCase{"OftenRight", [](Rng& rng) { return rng.Uniform() < 0.97 ? 1.0 : 0.0; }, 0.97,
                     0.912},
        CoverageCase{"SeldomAway", [](Rng& rng) { return rng.Uniform() < 0.02 ? 0.0 : 0.5; }, 0.49,
                     0.912},
        CoverageCase{"Coin", [](Rng& rng) { return rng.Uniform() < 0.5 ? 1.0 : 0.0; }, 0.5, 0.912}),
    [](const auto& param) { return param.param.name; });

class UnboundedCoverageTest : public ::testing::TestWithParam<CoverageCase> {};

TEST_P(UnboundedCoverageTest, HoldsAsOftenAsItSays) {
  const CoverageCase& row = GetParam();
  for (const int n : {8, 40}) {
    Rng rng(11);
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) {
        values.push_back(row.draw(rng));
      }
      held += UpperLimitOfMean(values) >= row.mean ? 1 : 0;
    }
    EXPECT_GE(held, row.least_share * kTrials) << n << " values";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Draws, UnboundedCoverageTest,
    ::testing::Values(CoverageCase{"Uniform", [](Rng& rng) { return rng.Uniform(); }, 0.5, 0.912},
                      CoverageCase{"Exponential",
                                   [](Rng& rng) { return -std::log(1 - rng.Uniform()); }, 1, 0.912},
                      // Powers of errors whose decibels spread by 4.3 (sigma = 1 in nepers).
                      CoverageCase{"LogNormal", [](Rng& rng) { return std::exp(rng.Normal()); },
                                   std::exp(0.5), 0.912},
                      // Half of the samples without an error.
                      CoverageCase{"HalfExact",
                                   [](Rng& rng) {
                                     return rng.Uniform() < 0.5 ? 1e-20 : std::exp(rng.Normal());
                                   },
                                   std::exp(0.5) / 2, 0.912}),
    [](const auto& param) { return param.param.name; });

// Exact: sums of the binomial distribution in rational arithmetic, and tables of Clopper and
// Pearson.
TEST(ConfidenceTest, SharesAreExact) {
  EXPECT_DOUBLE_EQ(UpperLimitOfShare(0, 100, 0.95), 1 - std::pow(0.05, 0.01));
  EXPECT_EQ(UpperLimitOfShare(0, 0, 0.95), 1);
  EXPECT_EQ(UpperLimitOfShare(7, 7, 0.95), 1);
  // One event of two: (1 - p)^2 + 2 p (1 - p) = 1 - p^2 = 0.05.
  EXPECT_NEAR(UpperLimitOfShare(1, 2, 0.95), std::sqrt(0.95), 1e-12);
  // n - 1 of n: 1 - p^n = 0.05.
  EXPECT_NEAR(UpperLimitOfShare(9, 10, 0.95), std::pow(0.95, 0.1), 1e-12);
  for (std::size_t count = 0; count < 40; ++count) {
    EXPECT_LT(UpperLimitOfShare(count, 5000, 0.95), UpperLimitOfShare(count + 1, 5000, 0.95));
    EXPECT_LT(UpperLimitOfShare(count, 5000, 0.8), UpperLimitOfShare(count, 5000, 0.95));
  }
  EXPECT_EQ(TrialsForShare(0.05, 0.95), 59U);
  EXPECT_EQ(TrialsForShare(0.005, 0.95), 598U);
  EXPECT_LE(UpperLimitOfShare(0, TrialsForShare(0.005, 0.95), 0.95), 0.005);
  EXPECT_GT(UpperLimitOfShare(0, TrialsForShare(0.005, 0.95) - 1, 0.95), 0.005);
}

// The probability that the limit is below the true share, summed over all counts: no simulation.
TEST(ConfidenceTest, SharesAreCoveredAtEveryProbability) {
  constexpr std::size_t kN = 60;
  for (int step = 0; step < 58; ++step) {
    const double p = 0.002 + 0.0173 * step;
    double missed = 0;
    double term = std::pow(1 - p, kN);
    for (std::size_t k = 0; k <= kN; ++k) {
      missed += UpperLimitOfShare(k, kN, 0.95) < p ? term : 0;
      term *= static_cast<double>(kN - k) / static_cast<double>(k + 1) * p / (1 - p);
    }
    EXPECT_LE(missed, 0.05 + 1e-9) << p;
  }
}

// Normal decibels of a spread: mean power 10^(-level/10) exp((spread ln10 / 10)^2 / 2).
struct SpreadCase {
  const char* name;
  double spread_db;
  double exact_share;  // of samples without an error
};

class CappedCoverageTest : public ::testing::TestWithParam<SpreadCase> {};

// The limit is of the mean of min(value, cap), which 10^6 draws give within 0.2 % of the cap. The
// guarantee is 95 %; of 300 trials three standard deviations below it are 91.2 %.
TEST_P(CappedCoverageTest, HoldsAsOftenAsItSays) {
  const SpreadCase& row = GetParam();
  const auto draw = [&](Rng& rng) {
    return rng.Uniform() < row.exact_share ? 1e-20
                                           : std::pow(10, row.spread_db * rng.Normal() / 10);
  };
  for (const double cap : {1.0, 10.0, 1000.0}) {
    Rng rng(5);
    double mean = 0;
    constexpr int kDraws = 1'000'000;
    for (int i = 0; i < kDraws; ++i) {
      mean += std::min(draw(rng), cap) / kDraws;
    }
    for (const int n : {8, 40, 200}) {
      int held = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < n; ++i) {
          values.push_back(draw(rng));
        }
        held += UpperLimitOfCappedMean(values, cap) >= mean - 0.002 * cap ? 1 : 0;
      }
      EXPECT_GE(held, 0.912 * kTrials) << n << " values, cap " << cap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spreads, CappedCoverageTest,
                         ::testing::Values(SpreadCase{"Three", 3, 0}, SpreadCase{"Six", 6, 0},
                                           SpreadCase{"Ten", 10, 0},
                                           SpreadCase{"SomeExact", 6, 0.5}),
                         [](const auto& param) { return std::string(param.param.name); });

// Half of the samples exact, at -200 dB: their distance from the others is no spread of these.
TEST(ConfidenceTest, ExactSamplesDoNotWidenTheLimit) {
  Rng rng(3);
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) {
    values.push_back(i % 2 == 0 ? 1e-20 : std::pow(10, (-63 + 4 * rng.Normal()) / 10));
  }
  EXPECT_LT(UpperLimitOfMean(values), std::pow(10, -5.5));
}

TEST(ConfidenceTest, ACapBoundsTheLimit) {
  EXPECT_EQ(UpperLimitOfCappedMean({}, 3), 3);
  const std::vector<double> huge(50, 1e9);
  EXPECT_DOUBLE_EQ(UpperLimitOfCappedMean(huge, 3), 3);
  EXPECT_LT(UpperLimitOfCappedMean(std::vector<double>(50, 1e-9), 3), 3 * 3.3 / 50);
}

TEST(ConfidenceTest, ValuesThatAllAgree) {
  for (const int n : {10, 59, 300}) {
    const double limit =
        LowerLimitOfBoundedMean(std::vector<double>(static_cast<std::size_t>(n), 1));
    EXPECT_LE(limit, std::pow(0.05, 1.0 / n));
    EXPECT_GE(limit, 1 - 1.1 * (1 - std::pow(0.05, 1.0 / n)));
  }
}

TEST(ConfidenceTest, TooFewToSay) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(LowerLimitOfBoundedMean({}), 0);
  EXPECT_EQ(UpperLimitOfMean({}), infinity);
  EXPECT_EQ(UpperLimitOfMean(std::vector<double>{1}), infinity);
  EXPECT_EQ(UpperLimitOfMean(std::vector<double>{1, 2, 3}), infinity);
  EXPECT_EQ(UpperLimitOfMean(std::vector<double>(7, 1.0)), infinity);
  EXPECT_EQ(UpperLimitOfMean(std::vector<double>(8, 1.0)), 1);
}

TEST(ConfidenceTest, SameValuesSameLimit) {
  const std::vector<double> values = {0.1, 0.5, 0.2, 0.9, 0.3, 0.2, 0.7, 0.4};
  EXPECT_EQ(UpperLimitOfMean(values), UpperLimitOfMean(values));
  EXPECT_EQ(LowerLimitOfBoundedMean(values), LowerLimitOfBoundedMean(values));
}

}  // namespace
}  // namespace halftone
