// The emulated instruction gives the bits that its definition does: cases whose result depends on
// the order of sums and on what counts as zero. That it is a product at all: tile_test.cc.
#include "kernels/tile/amx_emulated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace halftone {
namespace {

struct Pair {
  float even;
  float odd;
};

// Sum of the products of pairs by pairs, added to `c`, in column 0 of the tile.
float Dot(const std::vector<Pair>& a, const std::vector<Pair>& b, float c = 0) {
  std::vector<BFloat16> words;
  std::vector<BFloat16> panel(a.size() * 2 * kAmxColumns);
  for (std::size_t k = 0; k < a.size(); ++k) {
    words.push_back(BFloat16::FromFloat(a[k].even));
    words.push_back(BFloat16::FromFloat(a[k].odd));
    panel[k * 2 * kAmxColumns] = BFloat16::FromFloat(b[k].even);
    panel[k * 2 * kAmxColumns + 1] = BFloat16::FromFloat(b[k].odd);
  }
  AmxEmulated::Run({.rows = 1,
                    .columns = 1,
                    .steps = static_cast<std::int64_t>(a.size()),
                    .a = words.data(),
                    .lda = static_cast<std::int64_t>(a.size()),
                    .b = panel.data(),
                    .c = &c,
                    .c_stride = kAmxColumns,
                    .accumulate = true});
  return c;
}

// One after the other the four products would be 2^24, 2^24, 2^24, 0.
TEST(AmxEmulatedTest, EvenAndOddElementsAreSummedApart) {
  EXPECT_EQ(Dot({{0x1p24F, 1}, {1, -0x1p24F}}, {{1, 1}, {1, 1}}), 1.0F);
}

// Both blocks of 16 steps sum to 1. Added to each other before, they would change 2^24.
TEST(AmxEmulatedTest, SixteenStepsAreAddedAtATime) {
  std::vector<Pair> a(17, Pair{0, 0});
  a[0].even = 1;
  a[16].even = 1;
  EXPECT_EQ(Dot(a, std::vector<Pair>(17, Pair{1, 1}), 0x1p24F), 0x1p24F);
  std::swap(a[15], a[16]);
  EXPECT_EQ(Dot(a, std::vector<Pair>(17, Pair{1, 1}), 0x1p24F), 0x1p24F + 2);
}

// A fused multiply-add rounds once: the product alone would round to 1 - 2^-8.
TEST(AmxEmulatedTest, ProductsAreNotRounded) {
  const float below = 1 - 0x1p-8F;
  EXPECT_EQ(Dot({{below, 0}, {-1, 0}}, {{below, 0}, {1, 0}}), -0x1p-7F + 0x1p-16F);
}

TEST(AmxEmulatedTest, SubnormalOperandsResultsAndSumsAreZero) {
  EXPECT_EQ(Dot({{0x1p-130F, 0}}, {{0x1p100F, 0}}), 0.0F) << "an operand";
  EXPECT_EQ(Dot({{0x1p-64F, 0}}, {{0x1p-63F, 0}}), 0.0F) << "a result";
  EXPECT_EQ(Dot({{0, 0}}, {{0, 0}}, 0x1p-127F), 0.0F) << "the sum that is added to";
  EXPECT_EQ(Dot({{0x1p-64F, 0}}, {{0x1p-62F, 0}}), 0x1p-126F) << "the least that is kept";
}

// As vfmadd231ps and vdpbf16ps flush on the hardware: what counts is the result rounded to 24 bits.
TEST(AmxEmulatedTest, ResultsAreFlushedAfterRounding) {
  EXPECT_EQ(Dot({{0x1p-63F, 0}, {-0x1p-75F, 0}}, {{0x1p-63F, 0}, {0x1p-75F, 0}}), 0.0F)
      << "2^-126 - 2^-150 has 24 bits";
  EXPECT_EQ(Dot({{0x1p-63F, 0}, {-0x1p-75F, 0}}, {{0x1p-63F, 0}, {0x1p-76F, 0}}), 0x1p-126F)
      << "2^-126 - 2^-151 is rounded up";
}

// The zeros behind the last step are products, too: of -0 and +0 the sum is +0.
TEST(AmxEmulatedTest, StepsAreFilledUpWithZeros) {
  const std::vector<Pair> tiny(16, Pair{-0x1p-100F, -0x1p-100F});
  EXPECT_TRUE(std::signbit(Dot(tiny, std::vector<Pair>(16, Pair{0x1p-100F, 0x1p-100F}), -0.0F)));
  EXPECT_FALSE(std::signbit(Dot({tiny[0]}, {{0x1p-100F, 0x1p-100F}}, -0.0F)));
}

TEST(AmxEmulatedTest, InfinitiesAndNaN) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Dot({{kInf, 1}}, {{2, 1}}), kInf);
  EXPECT_TRUE(std::isnan(Dot({{kInf, 1}}, {{0, 1}})));
  EXPECT_TRUE(std::isnan(Dot({{kInf, 1}}, {{0x1p-130F, 1}}))) << "a subnormal is zero";
  EXPECT_TRUE(std::isnan(Dot({{std::nanf(""), 1}}, {{1, 1}})));
}

}  // namespace
}  // namespace halftone
