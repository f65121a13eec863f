#include "kernels/tile/half_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr std::int64_t kMost = 70;  // several vectors and every rest
constexpr float kUntouched = -123.0F;

// Ordinary numbers, ties of bfloat16, what overflows it, infinities, NaN, zeros.
std::vector<float> Values(std::int64_t count, std::uint64_t seed) {
  static constexpr float kSpecial[] = {1.00390625F,
                                       1.01171875F,
                                       -0.0F,
                                       std::numeric_limits<float>::max(),
                                       std::numeric_limits<float>::infinity(),
                                       -std::numeric_limits<float>::infinity(),
                                       std::numeric_limits<float>::quiet_NaN(),
                                       65504.0F,
                                       6.103515625e-05F};
  Rng rng(seed);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t pick = rng.Below(20);
    values.push_back(pick < std::size(kSpecial) ? kSpecial[pick]
                                                : static_cast<float>(rng.Uniform(-1000, 1000)));
  }
  return values;
}

template <typename T>
std::vector<T> Rounded(const std::vector<float>& values) {
  std::vector<T> rounded;
  for (const float value : values) {
    rounded.push_back(T::FromFloat(value));
  }
  return rounded;
}

void ExpectSame(float actual, float expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual));
  } else {
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(std::signbit(actual), std::signbit(expected));
  }
}

template <typename T>
void ExpectWidened(DType dtype) {
  for (std::int64_t count = 0; count <= kMost; ++count) {
    SCOPED_TRACE(count);
    const std::vector<T> source = Rounded<T>(Values(count, 7 + static_cast<std::uint64_t>(count)));
    std::vector<float> target(static_cast<std::size_t>(count) + 1, kUntouched);
    WidenRow(dtype, source.data(), target.data(), count);
    for (std::size_t i = 0; i < source.size(); ++i) {
      ExpectSame(target[i], source[i].ToFloat());
    }
    EXPECT_EQ(target.back(), kUntouched);
  }
}

TEST(HalfRowsTest, WidensExactly) {
  ExpectWidened<Float16>(DType::kFloat16);
  ExpectWidened<BFloat16>(DType::kBFloat16);
}

template <typename T>
void ExpectNarrowed(DType dtype, const std::vector<T>& source, const std::vector<float>& values) {
  const auto count = static_cast<std::int64_t>(source.size());
  std::vector<BFloat16> target(source.size() + 1, BFloat16::FromFloat(kUntouched));
  NarrowRowToBFloat16(dtype, source.data(), target.data(), count);
  for (std::size_t i = 0; i < source.size(); ++i) {
    ExpectSame(target[i].ToFloat(), BFloat16::FromFloat(values[i]).ToFloat());
  }
  EXPECT_EQ(target.back().ToFloat(), BFloat16::FromFloat(kUntouched).ToFloat());
}

// Constants without an element have no memory.
TEST(HalfRowsTest, RowsWithoutElementsAreNotTouched) {
  for (const DType from : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    WidenRows({.from = from, .rows = 5});
    NarrowRowsToBFloat16({.from = from, .rows = 5});
  }
}

TEST(HalfRowsTest, RoundsToNearestEven) {
  for (std::int64_t count = 0; count <= kMost; ++count) {
    SCOPED_TRACE(count);
    const std::vector<float> values = Values(count, 1 + static_cast<std::uint64_t>(count));
    ExpectNarrowed(DType::kFloat32, values, values);
    const std::vector<Float16> halves = Rounded<Float16>(values);
    std::vector<float> widened;
    for (const Float16 half : halves) {
      widened.push_back(half.ToFloat());
    }
    ExpectNarrowed(DType::kFloat16, halves, widened);
  }
}

// To the elements of pairs: float16 keeps its bits, subnormal numbers too.
TEST(HalfRowsTest, RoundsToFloat16) {
  for (std::int64_t count = 0; count <= kMost; ++count) {
    std::vector<float> values = Values(count, 3 + static_cast<std::uint64_t>(count));
    if (count > 2) {
      values[0] = 0x1.8p-24F;
      values[1] = 1e6F;
    }
    const std::vector<Float16> halves = Rounded<Float16>(values);
    const std::pair<DType, const void*> sources[] = {{DType::kFloat32, values.data()},
                                                     {DType::kFloat16, halves.data()}};
    for (const auto& [from, source] : sources) {
      std::vector<Float16> target(halves.size() + 1, Float16::FromFloat(kUntouched));
      NarrowRowTo(DType::kFloat16, from, source, target.data(), count);
      for (std::size_t i = 0; i < halves.size(); ++i) {
        ExpectSame(target[i].ToFloat(), halves[i].ToFloat());
      }
      EXPECT_EQ(target.back(), Float16::FromFloat(kUntouched)) << count << NameOf(from);
    }
  }
}

// Dot units take subnormal operands as zero: whether they are already is not said. Of float16 none
// is subnormal in bfloat16.
TEST(HalfRowsTest, SubnormalsStayOrAreZero) {
  const std::vector<float> values = {1e-39F, -1e-39F, 1e-45F};
  std::vector<BFloat16> target(values.size());
  NarrowRowToBFloat16(DType::kFloat32, values.data(), target.data(), 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float exact = BFloat16::FromFloat(values[i]).ToFloat();
    EXPECT_TRUE(target[i].ToFloat() == exact || target[i].ToFloat() == 0) << values[i];
    EXPECT_EQ(std::signbit(target[i].ToFloat()), std::signbit(values[i]));
  }
  const Float16 smallest = Float16::FromFloat(5.9604645e-08F);
  BFloat16 result;
  NarrowRowToBFloat16(DType::kFloat16, &smallest, &result, 1);
  EXPECT_EQ(result.ToFloat(), 5.9604645e-08F);
}

}  // namespace
}  // namespace halftone
