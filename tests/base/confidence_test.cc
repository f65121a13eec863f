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
                                   std::exp(0.5), 0.912}),
    [](const auto& param) { return param.param.name; });

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
