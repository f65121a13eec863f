// Rounding by loops is that of the scalar conversions, on every 16-bit pattern and on the ties and
// neighbours between them.
#include "src/ir/half_rounding.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/rng.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

void AddWithNeighbours(float value, std::vector<float>& values) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float each :
       {value, std::nextafterf(value, kInfinity), std::nextafterf(value, -kInfinity)}) {
    values.push_back(each);
    values.push_back(-each);
  }
}

// Every number of the format, every tie between two of them, their neighbours, and numbers of any
// bits.
template <typename Half>
std::vector<float> HardNumbers() {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < 0x8000; ++bits) {
    const float low = Half{static_cast<std::uint16_t>(bits)}.ToFloat();
    const float high = Half{static_cast<std::uint16_t>(bits + 1)}.ToFloat();
    AddWithNeighbours(low, values);
    AddWithNeighbours(low + (high - low) / 2, values);
  }
  AddWithNeighbours(65520, values);
  Rng rng(3);
  for (int i = 0; i < 100'000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(rng.Next())));
  }
  return values;
}

template <typename Half>
void ExpectRounded(const std::vector<float>& values, const std::vector<float>& rounded) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = Half::FromFloat(values[i]).ToFloat();
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(rounded[i])) << values[i];
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(rounded[i]), std::bit_cast<std::uint32_t>(expected))
          << values[i];
    }
  }
}

TEST(RoundToFloat16, RoundsAsTheConversions) {
  const std::vector<float> values = HardNumbers<Float16>();
  std::vector<float> rounded(values.size());
  RoundToFloat16(values, rounded);
  ExpectRounded<Float16>(values, rounded);
}

TEST(RoundToBFloat16, RoundsAsTheConversions) {
  const std::vector<float> values = HardNumbers<BFloat16>();
  std::vector<float> rounded(values.size());
  RoundToBFloat16(values, rounded);
  ExpectRounded<BFloat16>(values, rounded);
}

TEST(RoundToFloat16, RoundsInPlace) {
  std::vector<float> values = {1.0F / 3, 70000, -1e-8F};
  RoundToFloat16(values, values);
  EXPECT_EQ(values[0], Float16::FromFloat(1.0F / 3).ToFloat());
  EXPECT_EQ(values[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[2], 0);
}

}  // namespace
}  // namespace halftone
