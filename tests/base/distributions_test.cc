#include "src/base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

// Two-sided quantiles of any table, for example Fisher and Yates, "Statistical Tables", table III.
TEST(StudentTest, Tables) {
  const double of_5_percent[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447,  2.365, 2.306, 2.262, 2.228};
  for (int freedom = 1; freedom <= 10; ++freedom) {
    EXPECT_NEAR(StudentT(0.05, freedom), of_5_percent[freedom - 1], 5.1e-4);
  }
  EXPECT_NEAR(StudentT(0.05, 30), 2.042, 5.1e-4);
  EXPECT_NEAR(StudentT(0.01, 7), 3.499, 5.1e-4);
  EXPECT_NEAR(StudentT(0.5, 1), 1, 1e-9);  // the quartiles of a Cauchy distribution
  EXPECT_NEAR(StudentT(0.05, 100000), 1.962, 5.1e-4);
}

// One degree is a Cauchy distribution, two have a closed form.
TEST(StudentTest, ClosedForms) {
  for (const double miss : {0.3, 0.01, 1e-4}) {
    const double share = 1 - miss;
    EXPECT_NEAR(StudentT(miss, 1) / std::tan(share * std::acos(-1.0) / 2), 1, 1e-9);
    EXPECT_NEAR(StudentT(miss, 2) / (share * std::sqrt(2 / (1 - share * share))), 1, 1e-9);
  }
}

// Counted by hand: binomial coefficients by powers of the probabilities.
TEST(StudentTest, HalfWidthOfAMean) {
  EXPECT_EQ(StudentHalfWidth({}, 0.05), 0);
  EXPECT_EQ(StudentHalfWidth(std::vector<double>{3}, 0.05), 0);
  // Deviation sqrt(2), over sqrt(2) values, times the t of one degree of freedom.
  EXPECT_NEAR(StudentHalfWidth(std::vector<double>{1, 3}, 0.05), 12.7062047362, 1e-8);
  // Deviation sqrt(2.5), five values, four degrees.
  EXPECT_NEAR(StudentHalfWidth(std::vector<double>{1, 2, 3, 4, 5}, 0.05),
              2.7764451052 * std::sqrt(2.5 / 5), 1e-8);
}

TEST(BinomialTest, CountedEvents) {
  EXPECT_NEAR(BinomialExactly(2, 10, 0.5), 45.0 / 1024, 1e-14);
  EXPECT_NEAR(BinomialUpTo(2, 10, 0.5), 56.0 / 1024, 1e-14);
  EXPECT_NEAR(BinomialExactly(1, 3, 0.25), 27.0 / 64, 1e-14);
  EXPECT_NEAR(BinomialUpTo(1, 3, 0.25), 54.0 / 64, 1e-14);
  EXPECT_EQ(BinomialUpTo(0, 0, 0.5), 1);
  EXPECT_EQ(BinomialUpTo(7, 7, 0.3), 1);
  EXPECT_GT(BinomialExactly(1000, 2000, 0.5), 0) << "2^-2000 is 0";
  EXPECT_THROW(BinomialExactly(4, 3, 0.5), Error);
  EXPECT_THROW(BinomialUpTo(-1, 3, 0.5), Error);
}

// None of n: (1 - p)^n = miss; all but one at most: 1 - p^n = miss. Else the tail at the limit is
// `miss`.
TEST(BinomialTest, UpperLimits) {
  for (const double miss : {0.3, 0.05, 1e-3}) {
    for (const int n : {1, 10, 1000}) {
      EXPECT_NEAR(BinomialUpperLimit(0, n, miss), 1 - std::pow(miss, 1.0 / n), 1e-13);
      EXPECT_NEAR(BinomialUpperLimit(n - 1, n, miss), std::pow(1 - miss, 1.0 / n), 1e-13);
    }
    EXPECT_NEAR(BinomialUpTo(30, 200, BinomialUpperLimit(30, 200, miss)) / miss, 1, 1e-10);
  }
  EXPECT_THROW(BinomialUpperLimit(3, 3, 0.05), Error);
}

}  // namespace
}  // namespace halftone
