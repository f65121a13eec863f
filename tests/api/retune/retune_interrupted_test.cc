// A retune that the user stops has judged nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "tests/api/retune/retune_fixture.h"

namespace halftone {
namespace {

using ::halftone::testing::RetuneTest;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RetuneTest, AnInterruptedRunHasNotJudged) {
  Tune(model_, tune_);
  PlantFront(0.5, "stem/conv");
  options_.fail_if = {ParseGate("sqnr_db<1000")};
  int measured = 0;
  TuneCallbacks callbacks;
  callbacks.on_progress = [&](const TunerProgress& /*progress*/) { ++measured; };
  callbacks.stop_requested = [&] { return measured >= 1; };
  const RetuneResult result = Retune(model_, options_, callbacks);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.holds());
  EXPECT_EQ(std::ranges::count(result.points, true, &RetunedPoint::measured), 1);
  EXPECT_THAT(HoldsLine(result), HasSubstr("was not judged: interrupted after 1 of "));
  EXPECT_THAT(FormatRetune(result), Not(HasSubstr("still holds")));
  EXPECT_THAT(FormatRetuneMarkdown(result), HasSubstr("was not judged"));
  EXPECT_THAT(FormatRetuneJUnit(result), HasSubstr("failures=\"1\""));
  EXPECT_THAT(FormatRetuneJson(result), HasSubstr("\"interrupted\": true"));
  EXPECT_EQ(AnnotationsOf(result).back().severity, Severity::kError);
}

// A clock that each phase of the command reads, and each point moves on.
class RetuneInTimeTest : public RetuneTest {
 protected:
  RetuneResult RetuneIn(double limit_s, double loading_s, double point_s) {
    double now_s = 0;
    TuneCallbacks callbacks;
    callbacks.time = std::make_shared<TimeBudget>(std::nullopt, [&] { return now_s; });
    now_s = loading_s;
    options_.budget.time = std::chrono::duration<double>(limit_s);
    callbacks.on_progress = [&](const TunerProgress& now) {
      measured_.push_back(now.last->candidate);
    };
    // Asked before each point.
    callbacks.stop_requested = [&] {
      now_s += measured_.size() > asked_ ? point_s : 0;
      asked_ = measured_.size();
      return false;
    };
    return Retune(model_, options_, callbacks);
  }

  std::vector<Candidate> measured_;
  std::size_t asked_ = 0;
};

TEST_F(RetuneInTimeTest, TheChosenPointComesFirstAndOthersAreNamed) {
  Tune(model_, tune_);
  all_trials_ = true;
  PlantFront(0.5, "");
  options_.search = false;
  const RetuneResult result = RetuneIn(60, 1, 100);
  ASSERT_GE(result.points.size(), 2U);
  ASSERT_EQ(measured_.size(), 1U);
  EXPECT_TRUE(result.points[1].measured);
  EXPECT_TRUE(result.points[1].shipped);
  EXPECT_EQ(measured_[0], result.front.members[1].candidate);
  EXPECT_FALSE(result.points[0].measured);
  EXPECT_EQ(result.points[0].undecided, "not measured in this time");
  EXPECT_THAT(FormatRetuneMarkdown(result), HasSubstr("not measured in this time"));
  EXPECT_THAT(FormatRetune(result), Not(HasSubstr("rejected")));
  EXPECT_THAT(result.undecided, Not(Contains(HasSubstr("not measured")))) << "others do not count";
}

TEST_F(RetuneInTimeTest, WithoutTimeForTheShippedPointItIsInconclusive) {
  Tune(model_, tune_);
  PlantFront(0.5, "");
  options_.search = false;
  const RetuneResult result = RetuneIn(5, 6, 0);
  EXPECT_TRUE(measured_.empty());
  EXPECT_EQ(result.verdict(), RetuneVerdict::kInconclusive);
  EXPECT_THAT(HoldsLine(result), HasSubstr("not measured in this time; give more time (--budget)"));
  EXPECT_THAT(
      result.warnings,
      Contains("nothing was measured in 5 s: reading the network and its samples took 6.00 s; "
               "give a longer --budget"));
  EXPECT_THAT(FormatRetune(result), Not(HasSubstr("float32: ")));
  EXPECT_THAT(FormatRetuneJson(result), HasSubstr("\"after\": null"));
}

// Nothing could judge it: that is said before anything runs.
TEST_F(RetuneTest, ABoundOnAnOwnMetricNeedsTheMetric) {
  const std::string output = model_.graph.value(model_.graph.outputs.at(0)).name;
  tune_.measure.metric.metric = output + ":sqnr_db";
  tune_.constraints.min_metric = 20;
  tune_.confidence.reset();
  Tune(model_, tune_);
  PlantFront(0.5, "stem/conv");
  try {
    Retune(model_, options_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "the front has the bound --min_metric=20, and no --metric is given: give that of "
                 "the search, with its --metric_better");
  }
}

}  // namespace
}  // namespace halftone
