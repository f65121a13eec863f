#include "src/base/student.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace halftone
