// The emulated sums in float16 give the bits that their definition does: multiply-adds against
// integer arithmetic, then cases whose result depends on the order of sums. That it is a product at
// all, and that the instructions of a CPU give the same bits: tile_test.cc.
#include "kernels/tile/fp16_emulated.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "src/base/rng.h"

namespace halftone {
namespace {

__extension__ using Int128 = __int128;

// A finite number in units of 2^-24.
std::int64_t UnitsOf(Float16 x) {
  return static_cast<std::int64_t>(std::ldexp(x.ToFloat(), 24));
}

// `units` of 2^-48, rounded to nearest even.
Float16 RoundedUnits(Int128 units, bool negative_zero) {
  const bool negative = units < 0 || (units == 0 && negative_zero);
  const Int128 magnitude = units < 0 ? -units : units;
  int top = 0;
  while (magnitude >> top > 1) {
    ++top;
  }
  const int shift = std::max(top - 10, 24);  // of the last bit that is kept
  Int128 kept = magnitude >> shift;
  const Int128 cut = magnitude - (kept << shift);
  const Int128 half = Int128{1} << (shift - 1);
  kept += cut > half || (cut == half && kept % 2 != 0) ? 1 : 0;
  const double rounded = std::ldexp(static_cast<double>(kept), shift - 48);
  return Float16::FromFloat(static_cast<float>(negative ? -rounded : rounded));
}

Float16 Exactly(Float16 a, Float16 b, Float16 c) {
  const Int128 product = Int128{UnitsOf(a)} * UnitsOf(b);
  const bool product_sign = ((a.bits ^ b.bits) & 0x8000) != 0;
  // A zero sum is negative where both terms are zero and negative.
  return RoundedUnits(product + (Int128{UnitsOf(c)} << 24),
                      product == 0 && product_sign && c.bits == 0x8000);
}

Float16 Fused(Float16 a, Float16 b, Float16 c) {
  return Float16::FromFloat(
      static_cast<float>(Float16MultiplyAdd(a.ToFloat(), b.ToFloat(), c.ToFloat())));
}

Float16 Added(Float16 a, Float16 b) {
  return Float16::FromFloat(static_cast<float>(Float16Sum(a.ToFloat(), b.ToFloat())));
}

bool IsFinite(Float16 x) {
  return (x.bits & 0x7c00) != 0x7c00;
}

TEST(Float16EmulatedTest, AMultiplyAddRoundsOnce) {
  Rng rng(20261125);
  std::int64_t cases = 0;
  while (cases < 1'000'000) {
    const auto bits = rng.Next();
    const Float16 a{static_cast<std::uint16_t>(bits)};
    const Float16 b{static_cast<std::uint16_t>(bits >> 16)};
    Float16 c{static_cast<std::uint16_t>(bits >> 32)};
    if (!IsFinite(a) || !IsFinite(b)) {
      continue;
    }
    if ((bits >> 63) != 0) {  // near the product, where sums cancel or end halfway
      const auto near = Float16::FromFloat(a.ToFloat() * b.ToFloat());
      c = {static_cast<std::uint16_t>((near.bits ^ (bits >> 62 & 1) << 15) + (bits >> 48 & 3))};
    }
    if (!IsFinite(c)) {
      continue;
    }
    ++cases;
    ASSERT_EQ(Fused(a, b, c).bits, Exactly(a, b, c).bits)
        << a.ToFloat() << " * " << b.ToFloat() << " + " << c.ToFloat();
  }
}

// Sums that have more bits than double: the least product far below, and just above, a sum halfway
// between two numbers.
TEST(Float16EmulatedTest, AMultiplyAddRoundsOnceAtTheEndsOfTheRange) {
  const std::vector<std::uint16_t> ends = {0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x0400,
                                           0x0401, 0x3bff, 0x3c00, 0x3c01, 0x6800, 0x6801, 0x7800,
                                           0x7bfe, 0x7bff, 0xbc00, 0xf800, 0xfbff};
  for (const std::uint16_t a : ends) {
    for (const std::uint16_t b : ends) {
      for (const std::uint16_t c : ends) {
        ASSERT_EQ(Fused({a}, {b}, {c}).bits, Exactly({a}, {b}, {c}).bits)
            << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Float16EmulatedTest, ASumRoundsOnce) {
  Rng rng(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto bits = rng.Next();
    const Float16 a{static_cast<std::uint16_t>(bits)};
    const Float16 b{static_cast<std::uint16_t>(bits >> 16)};
    if (IsFinite(a) && IsFinite(b)) {
      ASSERT_EQ(Added(a, b).bits, Exactly(a, Float16::FromFloat(1), b).bits)
          << a.ToFloat() << " + " << b.ToFloat();
    }
  }
}

struct HalfPair {
  float even = 0;
  float odd = 0;
};

// Sum of the pairs, each element times 1, added to `c` or not, in column 0 of the tile.
float SumOf(const std::vector<HalfPair>& pairs, float c = 0, bool accumulate = true) {
  std::vector<Float16> words;
  std::vector<Float16> panel(pairs.size() * 2 * kTileColumns);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    words.push_back(Float16::FromFloat(pairs[k].even));
    words.push_back(Float16::FromFloat(pairs[k].odd));
    panel[k * 2 * kTileColumns] = Float16::FromFloat(1);
    panel[k * 2 * kTileColumns + 1] = Float16::FromFloat(1);
  }
  Float16Emulated::Run({.rows = 1,
                        .columns = 1,
                        .steps = static_cast<std::int64_t>(pairs.size()),
                        .a = words.data(),
                        .lda = static_cast<std::int64_t>(pairs.size()),
                        .b = panel.data(),
                        .c = &c,
                        .c_stride = kTileColumns,
                        .accumulate = accumulate});
  return c;
}

// Float16 has no odd numbers above 2048.
TEST(Float16EmulatedTest, EvenAndOddElementsAreSummedApart) {
  EXPECT_EQ(SumOf({{2048, 1}, {0, 2048}}), 4096.0F);
  EXPECT_EQ(SumOf({{2048, 1}}), 2049.0F);
  EXPECT_EQ(SumOf({{2048, 0}, {1, 0}}), 2048.0F);
}

TEST(Float16EmulatedTest, ChainsAreAddedInFloat16) {
  std::vector<HalfPair> pairs(128);
  pairs[0].even = 2048;
  pairs[15].even = 1;
  EXPECT_EQ(SumOf(pairs), 2048.0F);
  for (std::size_t k = 1; k < 16; ++k) {
    pairs[k].even = 1;  // each lost in the first chain
  }
  EXPECT_EQ(SumOf(pairs), 2048.0F);
  for (std::size_t k = 16; k < 32; ++k) {
    pairs[k].even = 1;  // sixteen together in the second
  }
  EXPECT_EQ(SumOf(pairs), 2064.0F);
  pairs[127].even = 1;  // lost as the last chain is added
  EXPECT_EQ(SumOf(pairs), 2064.0F);
}

TEST(Float16EmulatedTest, TotalsAreAddedInFloat32) {
  std::vector<HalfPair> pairs(129);
  pairs[0].even = 2048;
  pairs[128].even = 1;
  EXPECT_EQ(SumOf(pairs), 2049.0F);
  EXPECT_EQ(SumOf(pairs, 0.5F), 2049.5F);
  EXPECT_EQ(SumOf(pairs, 0.5F, false), 2049.0F);
  EXPECT_EQ(SumOf({}, 0.5F), 0.5F);
  EXPECT_EQ(SumOf({}, 0.5F, false), 0.0F);
}

TEST(Float16EmulatedTest, SubnormalNumbersCount) {
  EXPECT_EQ(SumOf({{0x1p-24F, 0x1p-20F}}), 0x1p-24F + 0x1p-20F);
}

// Sums of 65520 and more are infinite.
TEST(Float16EmulatedTest, SumsOverflow) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(SumOf({{65504, 65504}}), 131008.0F);
  EXPECT_EQ(SumOf({{65504, 0}, {15, 0}}), 65504.0F);
  EXPECT_EQ(SumOf({{65504, 0}, {16, 0}}), kInf);
  EXPECT_EQ(SumOf({{-65504, 0}, {-16, 0}, {65504, 0}}), -kInf) << "it stays";
  EXPECT_TRUE(std::isnan(SumOf({{65504, -65504}, {65504, -65504}})));
}

TEST(Float16EmulatedTest, InfinitiesAndNaN) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(SumOf({{kInf, 1}}), kInf);
  EXPECT_TRUE(std::isnan(SumOf({{kInf, -kInf}})));
  EXPECT_TRUE(std::isnan(SumOf({{std::nanf(""), 1}})));
}

}  // namespace
}  // namespace halftone
