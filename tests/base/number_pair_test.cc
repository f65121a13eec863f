#include "src/base/number_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace halftone {
namespace {

void ExpectPair(const NumberPair& found, const char* a, const char* b) {
  EXPECT_EQ(found.a, a);
  EXPECT_EQ(found.b, b);
}

TEST(NumberPairTest, DigitsTellTheNumbersApart) {
  ExpectPair(SignificantPair(0.0123456, 0.01, 3), "0.0123", "0.01");
  ExpectPair(SignificantPair(0.010004, 0.01, 3), "0.010004", "0.01");
  ExpectPair(SignificantPair(0.01, 0.01, 3), "0.01", "0.01");
  ExpectPair(FixedPair(39.9961, 40, 2), "39.996", "40.000");
  ExpectPair(FixedPair(40, 40, 2), "40.00", "40.00");
  ExpectPair(FixedPair(-0.0, 0.0, 2), "0.00", "0.00");
}

TEST(NumberPairTest, NeighboursAreApart) {
  for (const double value : {1e-300, 0.01, 1.0, 39.99, 1e300}) {
    const double next = std::nextafter(value, std::numeric_limits<double>::infinity());
    const NumberPair significant = SignificantPair(value, next, 3);
    EXPECT_NE(significant.a, significant.b) << value;
    const NumberPair fixed = FixedPair(value, next, 2);
    EXPECT_NE(fixed.a, fixed.b) << value;
  }
}

TEST(NumberPairTest, EqualNumbersHaveEqualTextsAndOthersHaveNot) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (int i = 0; i < 1000; ++i) {
    const double a = std::pow(10, exponent(random));
    const double b = a * (1 + std::pow(10, exponent(random) / 3 - 10));
    for (const NumberPair& pair : {SignificantPair(a, b, 3), FixedPair(a, b, 2)}) {
      EXPECT_EQ(a == b, pair.a == pair.b) << a << " and " << b;
    }
    EXPECT_EQ(SignificantPair(a, a, 3).a, SignificantPair(a, a, 3).b);
  }
}

}  // namespace
}  // namespace halftone
