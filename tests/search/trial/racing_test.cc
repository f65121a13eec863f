#include "search/trial/racing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace halftone {
namespace {

Trial TrialAt(double high, double loss) {
  Measurement measurement;
  measurement.latency.ratio_interval = {high - 0.1, high};
  measurement.accuracy.metrics = {{"rel_l2", loss, loss, 0}};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

TEST(RacingBoundsTest, TheUpperEndOfTheFastestThatIsNoLessAccurate) {
  std::vector<Trial> trials = {TrialAt(0.9, 0), TrialAt(0.5, 0.1), TrialAt(0.7, 0.2)};
  trials.emplace_back().outcome = Rejection{"overflow"};
  const RacingBounds bounds(trials);
  EXPECT_EQ(bounds.RatioToBeat(0), 0.9) << "as accurate counts";
  EXPECT_EQ(bounds.RatioToBeat(0.05), 0.9);
  EXPECT_EQ(bounds.RatioToBeat(0.1), 0.5);
  EXPECT_EQ(bounds.RatioToBeat(0.3), 0.5) << "not the slower one between";
}

TEST(RacingBoundsTest, WithoutATrialAsAccurateThereIsNoRace) {
  const std::vector<Trial> trials = {TrialAt(0.5, 0.1)};
  EXPECT_TRUE(std::isinf(RacingBounds(trials).RatioToBeat(0.05)));
  EXPECT_TRUE(std::isinf(RacingBounds().RatioToBeat(1)));
}

}  // namespace
}  // namespace halftone
