// Planted residuals are found again, and the field knows where it knows nothing.
#include "search/model/residual_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/space/decisions.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr double kUnknown = 0.02;
constexpr std::size_t kGroups = 10;

Assignment Random(Rng& rng) {
  Assignment assignment;
  for (std::size_t g = 0; g < kGroups; ++g) {
    assignment.push_back(rng.Below(2));
  }
  return assignment;
}

// What no sum has: the cost of changing from one dtype to the other along the chain.
double Planted(const Assignment& assignment) {
  double changes = 0;
  for (std::size_t g = 1; g < kGroups; ++g) {
    changes += assignment[g] != assignment[g - 1] ? 1 : 0;
  }
  return 0.02 * (changes - 4.5);
}

std::vector<double> FeaturesOf(const Assignment& assignment) {
  std::vector<double> features(2 * kGroups, 0);
  for (std::size_t g = 0; g < kGroups; ++g) {
    features[2 * g + assignment[g]] = 1;
  }
  return features;
}

TEST(ResidualFieldTest, NothingIsKnownAtFirst) {
  const ResidualField field({}, kUnknown);
  const ResidualField::Value value = field.At(FeaturesOf(Assignment(kGroups, 0)));
  EXPECT_EQ(value.mean, 0);
  EXPECT_EQ(value.deviation, kUnknown);
}

TEST(ResidualFieldTest, WhatWasMeasuredIsKnownBest) {
  Rng rng(1);
  std::vector<Residual> residuals;
  for (int i = 0; i < 40; ++i) {
    const Assignment assignment = Random(rng);
    residuals.push_back({FeaturesOf(assignment), Planted(assignment), 0.001});
  }
  const ResidualField field(residuals, kUnknown);
  double zero = 0;
  double off = 0;
  for (const Residual& residual : residuals) {
    EXPECT_NEAR(field.At(residual.features).mean, residual.value, 0.005);
  }
  for (int i = 0; i < 500; ++i) {
    const Assignment assignment = Random(rng);
    const ResidualField::Value value = field.At(FeaturesOf(assignment));
    zero += std::pow(Planted(assignment), 2);
    off += std::pow(Planted(assignment) - value.mean, 2);
    EXPECT_GE(value.deviation, kUnknown / 10);
  }
  EXPECT_LT(off, 0.7 * zero) << "plans that differ little have similar residuals";
}

TEST(ResidualFieldTest, FarFromEverythingItSaysHowWrongTheModelUsuallyIs) {
  Rng rng(1);
  std::vector<Residual> residuals;
  for (int i = 0; i < 20; ++i) {  // all in the corner of zeros
    Assignment assignment(kGroups, 0);
    assignment[rng.Below(kGroups)] = 1;
    residuals.push_back({FeaturesOf(assignment), 0.1 * rng.Normal(), 0.001});
  }
  const ResidualField field(residuals, kUnknown);
  const ResidualField::Value near = field.At(residuals.front().features);
  const ResidualField::Value far = field.At(FeaturesOf(Assignment(kGroups, 1)));
  EXPECT_LT(near.deviation, far.deviation);
  EXPECT_LT(std::abs(far.mean), 0.05);
  EXPECT_GT(far.deviation, 0.03);
}

TEST(ResidualFieldTest, NoiseIsNotBelieved) {
  const std::vector<double> plan = FeaturesOf(Assignment(kGroups, 0));
  const std::vector<Residual> noisy = {{plan, 0.1, 0.5}};
  const std::vector<Residual> exact = {{plan, 0.1, 0.001}};
  EXPECT_LT(ResidualField(noisy, kUnknown).At(plan).mean, 0.02);
  EXPECT_NEAR(ResidualField(exact, kUnknown).At(plan).mean, 0.1, 0.001);
}

}  // namespace
}  // namespace halftone
