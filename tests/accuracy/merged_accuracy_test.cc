#include "src/accuracy/merged_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/base/rng.h"

namespace halftone {
namespace {

struct Pair {
  Tensor reference;
  Tensor actual;
  std::vector<std::int64_t> label;
};

std::vector<Pair> RandomPairs(int count, Rng& rng) {
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    std::vector<float> reference(9);
    std::vector<float> actual(9);
    for (std::size_t e = 0; e < reference.size(); ++e) {
      reference[e] = static_cast<float>(rng.Uniform(-1, 1));
      actual[e] = reference[e] + static_cast<float>(0.4 * rng.Uniform(-1, 1));
    }
    pairs.push_back({Tensor::From<float>({1, 9}, reference),
                     Tensor::From<float>({1, 9}, actual),
                     {static_cast<std::int64_t>(rng.Below(9))}});
  }
  return pairs;
}

AccuracyPart PartOf(std::span<const Pair> pairs) {
  AccuracyAccumulator accumulator;
  for (const Pair& pair : pairs) {
    accumulator.Add(
        {.reference = {&pair.reference, 1}, .actual = {&pair.actual, 1}, .labels = pair.label});
  }
  return {accumulator.Finish(), pairs.size()};
}

// Sums in another order: n terms of one sign, so a relative difference below n * 2^-52, here 20,
// which a logarithm passes on as an absolute one.
TEST(MergedAccuracyTest, IsThatOfAllSamples) {
  Rng rng(3);
  const std::vector<Pair> pairs = RandomPairs(20, rng);
  const std::span<const Pair> all = pairs;
  const Accuracy whole = PartOf(all).accuracy;
  const Accuracy merged = MergedAccuracy(
      std::vector{PartOf(all.first(3)), PartOf(all.subspan(3, 12)), PartOf(all.subspan(15))},
      Better::kLower);
  ASSERT_EQ(merged.metrics.size(), whole.metrics.size());
  for (const MetricValue& value : whole.metrics) {
    const MetricValue* other = merged.Find(value.name);
    ASSERT_NE(other, nullptr) << value.name;
    EXPECT_NEAR(other->mean, value.mean, 100 * 0x1p-52 * (1 + std::abs(value.mean))) << value.name;
    EXPECT_EQ(other->worst, value.worst) << value.name;
    EXPECT_EQ(other->worst_sample, value.worst_sample) << value.name;
    EXPECT_EQ(other->values, value.values) << value.name;
  }
  EXPECT_EQ(merged.flips, whole.flips);
}

AccuracyPart OfProgram(double mean, std::size_t samples) {
  return {{{{.name = "command:p", .mean = mean, .worst = mean, .worst_sample = -1}}}, samples};
}

TEST(MergedAccuracyTest, ANumberForAllSamplesCountsAsManyTimes) {
  const std::vector<AccuracyPart> parts = {OfProgram(2, 1), OfProgram(5, 3)};
  const Accuracy merged = MergedAccuracy(parts, Better::kHigher);
  EXPECT_DOUBLE_EQ(merged.Mean("command:p"), (2 + 3 * 5) / 4.0);
  EXPECT_EQ(merged.FindOwn()->worst, 2);
  EXPECT_EQ(merged.FindOwn()->worst_sample, -1);
  EXPECT_TRUE(merged.FindOwn()->values.empty());
  EXPECT_EQ(MergedAccuracy(parts, Better::kLower).FindOwn()->worst, 5);
}

TEST(MergedAccuracyTest, AnOwnMetricThatAPartLacksIsLeftOut) {
  const std::vector<AccuracyPart> parts = {OfProgram(2, 1), {{{{"rel_l2", 0.5, 0.5, 0}}}, 1}};
  const Accuracy merged = MergedAccuracy(parts, Better::kHigher);
  EXPECT_EQ(merged.FindOwn(), nullptr);
  EXPECT_EQ(merged.Find("rel_l2")->worst_sample, 1);
}

}  // namespace
}  // namespace halftone
