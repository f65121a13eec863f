#include "search/probe/probe_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halftone {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(ProbeSamplesTest, WithoutLossesTheyAreSpread) {
  const ProbedSamples probed = ChooseProbedSamples(10, 4, {});
  EXPECT_THAT(probed.numbers, ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(probed.weights, Each(0.25));
  const std::vector<double> zeros(10, 0);
  EXPECT_EQ(ChooseProbedSamples(10, 4, zeros).numbers, probed.numbers);
  const std::vector<double> too_few(9, 1);
  EXPECT_EQ(ChooseProbedSamples(10, 4, too_few).numbers, probed.numbers);
}

TEST(ProbeSamplesTest, ThoseThatDecideTheMeanAreTaken) {
  const std::vector<double> losses = {0.5, 8, 0, 0.5, 4, 3};
  const ProbedSamples probed = ChooseProbedSamples(6, 3, losses);
  EXPECT_THAT(probed.numbers, ElementsAre(1, 4, 5));
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sum += probed.weights[i] * losses[probed.numbers[i]];
  }
  EXPECT_DOUBLE_EQ(sum, 16.0 / 6) << "the mean over all six";
}

TEST(ProbeSamplesTest, AllOfThemAreTheMean) {
  const std::vector<double> losses = {2, 1, 3};
  const ProbedSamples probed = ChooseProbedSamples(3, 3, losses);
  EXPECT_THAT(probed.numbers, ElementsAre(0, 1, 2));
  EXPECT_THAT(probed.weights, Each(1.0 / 3));
}

TEST(ProbeSamplesTest, EqualLossesTakeTheFirst) {
  const std::vector<double> losses = {1, 1, 1, 1};
  EXPECT_THAT(ChooseProbedSamples(4, 2, losses).numbers, ElementsAre(0, 1));
}

}  // namespace
}  // namespace halftone
