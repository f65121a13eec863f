#include "src/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace halftone {
namespace {

// The first outputs of SplitMix64 for seed 1234567, as published with the reference program of the
// generator (also the Rosetta Code task "Pseudo-random numbers/Splitmix64").
TEST(RngTest, PublishedSequence) {
  Rng rng(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
        4593380528125082431ULL, 16408922859458223821ULL}) {
    EXPECT_EQ(rng.Next(), expected);
  }
}

TEST(RngTest, UniformIsInRangeWithTheRightMean) {
  Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = rng.Uniform(2, 4);
    ASSERT_GE(value, 2);
    ASSERT_LT(value, 4);
    sum += value;
  }
  // Standard deviation of the mean: 2 / sqrt(12) / 100 = 0.0058; five of them.
  EXPECT_NEAR(sum / 10'000, 3, 0.029);
}

// Each count is binomial with mean 1000 and standard deviation 30; six of them.
TEST(RngTest, BelowIsUniform) {
  Rng rng(2);
  std::array<int, 10> counts{};
  for (int i = 0; i < 10'000; ++i) {
    ++counts[rng.Below(10)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 1000, 180);
  }
  EXPECT_EQ(rng.Below(1), 0U);
}

TEST(RngTest, NormalHasTheRightMoments) {
  Rng rng(3);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double value = rng.Normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
}

TEST(RngTest, ShuffleIsAPermutationAndReachesAll) {
  Rng rng(4);
  std::array<std::array<int, 4>, 4> counts{};  // [item][position]
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::size_t> items(4);
    std::iota(items.begin(), items.end(), std::size_t{0});
    rng.Shuffle(std::span(items));
    for (std::size_t position = 0; position < 4; ++position) {
      ++counts[items[position]][position];
    }
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<std::size_t>{0, 1, 2, 3}));
  }
  for (const auto& of_item : counts) {
    for (const int count : of_item) {
      EXPECT_NEAR(count, 1000, 6 * std::sqrt(4000 * 0.25 * 0.75));
    }
  }
}

}  // namespace
}  // namespace halftone
