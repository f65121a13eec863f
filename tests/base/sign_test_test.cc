#include "src/base/sign_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

// Counted by hand: 2 * sum of binomial coefficients / 2^n.
TEST(SignTest, PValuesAreCountedCoins) {
  EXPECT_EQ(SignTestP(0, 0), 1);
  EXPECT_EQ(SignTestP(1, 0), 1);
  EXPECT_EQ(SignTestP(3, 3), 1);
  EXPECT_NEAR(SignTestP(0, 5), 2.0 / 32, 1e-13);
  EXPECT_NEAR(SignTestP(5, 0), 2.0 / 32, 1e-13);
  EXPECT_NEAR(SignTestP(2, 8), 2.0 * (1 + 10 + 45) / 1024, 1e-12);
  EXPECT_THROW(SignTestP(-1, 2), Error);
}

// 2^-2000 is 0 in double. By the normal approximation with continuity correction: 1099.5 of 2200 or
// less is z = 0; 1000 against 1200 is z = 99.5 * 2 / sqrt(2200) = 4.2427, p = 2.21e-5; the binomial
// differs from it by less than a tenth there (Berry-Esseen is far coarser).
TEST(SignTest, ManyCoins) {
  EXPECT_NEAR(SignTestP(1000, 1200), 2.21e-5, 2.2e-6);
  EXPECT_NEAR(SignTestP(5000, 5001), 1, 1e-7);
}

// Ranks as in any table of the sign test, for example Conover, Practical Nonparametric Statistics:
// 95 %: n = 6 takes the whole range (2/64), 9 the second values (20/512), 20 the sixth
// (2 * 21700 / 2^20 = 0.0414).
TEST(MedianIntervalTest, CutsAsManyAsTheSignTestAllows) {
  const auto cut = [](int n, double miss) {
    std::vector<double> sample(static_cast<std::size_t>(n));
    std::iota(sample.rbegin(), sample.rend(), 1.0);
    const auto interval = MedianInterval(sample, miss);
    if (interval) {
      EXPECT_EQ(interval->high, n + 1 - interval->low);
    }
    return interval ? static_cast<int>(interval->low) : 0;
  };
  EXPECT_EQ(cut(0, 0.05), 0);
  EXPECT_EQ(cut(5, 0.05), 0) << "2/32 is more than 5 %";
  EXPECT_EQ(cut(6, 0.05), 1);
  EXPECT_EQ(cut(8, 0.05), 1);
  EXPECT_EQ(cut(9, 0.05), 2);
  EXPECT_EQ(cut(20, 0.05), 6);
  EXPECT_EQ(cut(20, 0.001), 3) << "2 * (1 + 20 + 190) / 2^20 = 0.0004, with 1140 more 0.0026";
  // Normal approximation: n/2 - 1.96 sqrt(n)/2 = 1938.02.
  EXPECT_NEAR(cut(4000, 0.05), 1938, 1);
  EXPECT_THROW(MedianInterval(std::vector<double>{1}, 0), Error);
}

// Exact whatever the distribution: of 2000 samples of 20 from a skewed one with the median ln 2,
// the interval misses in 0.0414 (counted above); five standard deviations of sqrt(0.0414 * 0.9586 /
// 2000) = 0.0045.
TEST(MedianIntervalTest, MissesAsOftenAsItSays) {
  Rng rng(3);
  int missed = 0;
  for (int repetition = 0; repetition < 2000; ++repetition) {
    std::vector<double> sample(20);
    for (double& value : sample) {
      value = -std::log(1 - rng.Uniform());
    }
    const Interval interval = *MedianInterval(sample, 0.05);
    missed += interval.low > std::log(2) || interval.high < std::log(2) ? 1 : 0;
  }
  EXPECT_NEAR(missed / 2000.0, 0.0414, 0.0225);
}

}  // namespace
}  // namespace halftone
