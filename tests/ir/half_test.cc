// Conversions are checked on every 16-bit pattern and on the ties and neighbours between them.
#include "src/ir/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace halftone {
namespace {

template <typename Half>
class HalfTest : public ::testing::Test {};

using HalfTypes = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTest, HalfTypes);

template <typename Half>
constexpr std::uint16_t kInfinityBits = std::is_same_v<Half, Float16> ? 0x7c00 : 0x7f80;

TYPED_TEST(HalfTest, EveryPatternSurvivesARoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const TypeParam half{static_cast<std::uint16_t>(bits)};
    const float value = half.ToFloat();
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(TypeParam::FromFloat(value).ToFloat())) << bits;
      EXPECT_TRUE(std::isnan(TypeParam::FromDouble(value).ToFloat())) << bits;
    } else {
      EXPECT_EQ(TypeParam::FromFloat(value).bits, bits);
      EXPECT_EQ(TypeParam::FromDouble(value).bits, bits);
    }
  }
}

// Between neighbours the midpoint goes to the even one, and anything beside it to the nearer one.
TYPED_TEST(HalfTest, RoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits + 1 < kInfinityBits<TypeParam>; ++bits) {
    const double low = TypeParam{static_cast<std::uint16_t>(bits)}.ToFloat();
    const double high = TypeParam{static_cast<std::uint16_t>(bits + 1)}.ToFloat();
    const double middle = (low + high) / 2;  // exact in double
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(TypeParam::FromDouble(middle).bits, even);
    EXPECT_EQ(TypeParam::FromDouble(-middle).bits, even | 0x8000U);
    EXPECT_EQ(TypeParam::FromDouble(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(TypeParam::FromDouble(std::nextafter(middle, high)).bits, bits + 1);
    const auto single = static_cast<float>(middle);
    if (single == middle) {  // below the float range there is no such float
      EXPECT_EQ(TypeParam::FromFloat(single).bits, even);
      EXPECT_EQ(TypeParam::FromFloat(std::nextafterf(single, static_cast<float>(high))).bits,
                bits + 1);
    }
  }
}

TYPED_TEST(HalfTest, OverflowBecomesInfinity) {
  const std::uint16_t infinity = kInfinityBits<TypeParam>;
  const double largest = TypeParam{static_cast<std::uint16_t>(infinity - 1)}.ToFloat();
  const double before = TypeParam{static_cast<std::uint16_t>(infinity - 2)}.ToFloat();
  const double tie = largest + (largest - before) / 2;
  EXPECT_EQ(TypeParam::FromDouble(tie).bits, infinity);
  EXPECT_EQ(TypeParam::FromDouble(std::nextafter(tie, 0)).bits, infinity - 1);
  EXPECT_EQ(TypeParam::FromFloat(std::numeric_limits<float>::infinity()).bits, infinity);
  EXPECT_EQ(TypeParam::FromDouble(-1e300).bits, infinity | 0x8000);
}

// Through float this would round twice: up to the tie, then to even.
TEST(Float16Test, FromDoubleRoundsOnce) {
  const double value = 1.0 + 0x1p-11 + 0x1p-40;  // just above the tie between 1 and 1 + 2^-10
  EXPECT_EQ(Float16::FromDouble(value).bits, 0x3c01);
  EXPECT_EQ(Float16::FromFloat(static_cast<float>(value)).bits, 0x3c00);
}

}  // namespace
}  // namespace halftone
