// A retune that the user stops has judged nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/retune/retune_fixture.h"

namespace halftone {
namespace {

using ::halftone::testing::RetuneTest;
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
  EXPECT_EQ(result.points.size(), 1U);
  EXPECT_THAT(HoldsLine(result), HasSubstr("was not judged: interrupted after 1 of "));
  EXPECT_THAT(FormatRetune(result), Not(HasSubstr("still holds")));
  EXPECT_THAT(FormatRetuneMarkdown(result), HasSubstr("was not judged"));
  EXPECT_THAT(FormatRetuneJUnit(result), HasSubstr("failures=\"1\""));
  EXPECT_THAT(FormatRetuneJson(result), HasSubstr("\"interrupted\": true"));
  EXPECT_EQ(AnnotationsOf(result).back().severity, Severity::kError);
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
