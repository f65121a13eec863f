// Whether 8 bits are searched, as options, data and a planted machine profile say.
#include "src/api/tune/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/exec/host_target.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

Dataset RealSamples() {
  Dataset samples(std::vector<Sample>{{"a", {}}});
  samples.representative = true;
  return samples;
}

class QuantizeModeTest : public ::testing::Test {
 protected:
  [[nodiscard]] QuantizeMode At(std::optional<double> ratio,
                                std::optional<QuantizeMode> asked = {}) const {
    TuneOptions options;
    options.quantize.mode = asked;
    std::optional<ScaledSpeed> speed;
    if (ratio) {
      speed = ScaledSpeed{"int8", "bfloat16", *ratio};
    }
    return QuantizeModeFor(options, target_, RealSamples(), speed);
  }

  const TargetSpec target_ = HostTarget();
};

TEST_F(QuantizeModeTest, TheProfileDecidesWhereNobodyAsks) {
  EXPECT_EQ(At({}), QuantizeMode::kOn);
  EXPECT_EQ(At(0.5), QuantizeMode::kOn);
  EXPECT_EQ(At(1.05), QuantizeMode::kOn) << "within the noise of a profile";
  EXPECT_EQ(At(1.2), QuantizeMode::kOff);
}

TEST_F(QuantizeModeTest, WhatIsAskedForWins) {
  EXPECT_EQ(At(3, QuantizeMode::kOn), QuantizeMode::kOn);
  EXPECT_EQ(At(3, QuantizeMode::kOnly), QuantizeMode::kOnly);
  EXPECT_EQ(At(0.5, QuantizeMode::kOff), QuantizeMode::kOff);
}

// A budget of so many runs of 0.1 s.
TimeBudget BudgetOfRuns(double runs) {
  TimeBudget budget(0.1 * runs, [] { return 0.0; });
  budget.LearnRun(0.1);
  return budget;
}

TEST(CalibrationBudgetTest, FewRunsLeaveMoreForPlans) {
  EXPECT_EQ(CalibrationShare(BudgetOfRuns(5000)), 0.2);
  EXPECT_EQ(CalibrationShare(BudgetOfRuns(500)), 0.12);
  EXPECT_EQ(CalibrationShare(TimeBudget()), 0.2);
}

TEST(CalibrationBudgetTest, VeryFewRunsHaveNoneUnlessItIsAskedFor) {
  TuneOptions options;
  EXPECT_EQ(WhyNotCalibrated(options, BudgetOfRuns(61)), "");
  EXPECT_EQ(WhyNotCalibrated(options, TimeBudget()), "");
  EXPECT_EQ(WhyNotCalibrated(options, TimeBudget(5)), "") << "a run's time is not known";
  const std::string why = WhyNotCalibrated(options, BudgetOfRuns(30));
  EXPECT_THAT(why, HasSubstr("the budget is 30 float32 runs"));
  EXPECT_THAT(why, HasSubstr("--quantize=on"));
  options.quantize.mode = QuantizeMode::kOn;
  EXPECT_EQ(WhyNotCalibrated(options, BudgetOfRuns(30)), "");
}

TEST(SlowScaledNoteTest, SaysWhyAndWhatToDo) {
  const std::string note = SlowScaledNote({"int8", "bfloat16", 1.25});
  EXPECT_THAT(note, HasSubstr("1.2 times as long for products in int8 as in bfloat16"));
  EXPECT_THAT(note, HasSubstr("--quantize=on"));
}

}  // namespace
}  // namespace halftone
