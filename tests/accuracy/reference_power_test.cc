#include "src/accuracy/reference_power.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/accuracy/metrics.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr float kMost = std::numeric_limits<float>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Row(const std::vector<float>& values) {
  return Tensor::From<float>({1, static_cast<std::int64_t>(values.size())}, values);
}

void ExpectSameAsSumsOf(const Tensor& reference, const Tensor& actual, const std::string& about) {
  const ErrorPower power = ReferencePower(reference).Of(actual);
  const OutputSums sums = SumsOf(reference, actual);
  EXPECT_EQ(power.broken, sums.broken) << about;
  EXPECT_EQ(power.error_power, sums.error_power) << about;
  EXPECT_EQ(power.reference_power, sums.reference_power) << about;
  EXPECT_EQ(power.has_apart, sums.counts.apart > 0) << about;
  EXPECT_EQ(power.apart,
            sums.apart.error_power == 0 ? 0 : sums.apart.error_power / sums.apart.reference_power)
      << about;
}

TEST(ReferencePower, HasTheBitsOfSumsOf) {
  Rng rng(5);
  for (const std::size_t count : {0, 1, 3, 4, 5, 1023}) {
    for (const float scale : {1e-30F, 1.0F, 3e4F, 1e30F}) {
      std::vector<float> reference;
      std::vector<float> actual;
      for (std::size_t i = 0; i < count; ++i) {
        reference.push_back(scale * static_cast<float>(rng.Uniform() - 0.5));
        actual.push_back(reference.back() * 1.01F);
      }
      ExpectSameAsSumsOf(Row(reference), Row(actual), std::to_string(count));
    }
  }
}

TEST(ReferencePower, LeavesHardElementsToSumsOf) {
  const std::vector<float> plain = {1, -2, 3, 4, 5};
  for (const float hard : {kInf, -kInf, kNan, kMost, 1e9F}) {
    for (const float other : {0.0F, kInf, kNan, kMost, hard}) {
      std::vector<float> reference = plain;
      std::vector<float> actual = plain;
      reference[2] = hard;
      actual[2] = other;
      actual[4] = 5.5F;
      ExpectSameAsSumsOf(Row(reference), Row(actual), std::to_string(hard));
      ExpectSameAsSumsOf(Row(actual), Row(reference), std::to_string(other));
    }
  }
}

TEST(ReferencePower, TakesOtherDTypes) {
  const Tensor reference = Row({1, 2, 3});
  ExpectSameAsSumsOf(Convert(reference, DType::kFloat16), Row({1, 2, 3.5F}), "float16");
  ExpectSameAsSumsOf(reference, Convert(Row({1, 2, 3.5F}), DType::kFloat64), "float64");
}

}  // namespace
}  // namespace halftone
