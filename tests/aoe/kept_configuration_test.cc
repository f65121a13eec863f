// A job that finds nothing faster writes the configuration given.
#include "src/aoe/kept_configuration.h"

#include <gtest/gtest.h>

#include "tests/support/example_summary.h"

namespace halftone {
namespace {

Measurement& MeasurementOf(Trial& trial) {
  return std::get<Measurement>(trial.outcome);
}

// A job whose chosen point has `ratio` of the latency of the baseline, another configuration.
TuneSummary WithBaseline(double ratio) {
  TuneSummary summary = testing::ExampleSummary();
  Trial& chosen = summary.front.points[*summary.front.chosen].trial;
  Trial baseline = chosen;
  baseline.candidate.options.precision_mode = "must_keep_origin_dtype";
  MeasurementOf(baseline).latency.ratio = 0.5;
  MeasurementOf(baseline).latency.ratio_interval.low = 0.499;
  MeasurementOf(baseline).latency.ratio_interval.high = 0.501;
  MeasurementOf(chosen).latency.ratio = 0.5 * ratio;
  MeasurementOf(chosen).latency.ratio_interval.low = 0.499 * ratio;
  MeasurementOf(chosen).latency.ratio_interval.high = 0.501 * ratio;
  summary.front.baseline = baseline;
  return summary;
}

TEST(KeptConfiguration, OneThatIsAsFastStaysAsItIs) {
  const TuneSummary summary = WithBaseline(0.999);
  EXPECT_TRUE(KeepsBaseline(summary, {}));
  const TuneSummary written = WithWrittenPoint(summary, {});
  ASSERT_EQ(written.front.points.size(), 1U);
  EXPECT_EQ(written.front.chosen_point().trial.candidate, summary.front.baseline->candidate);
}

TEST(KeptConfiguration, AFasterOneIsWritten) {
  const TuneSummary summary = WithBaseline(0.6);
  EXPECT_FALSE(KeepsBaseline(summary, {}));
  const TuneSummary written = WithWrittenPoint(summary, {});
  ASSERT_EQ(written.front.points.size(), 1U);
  EXPECT_EQ(written.front.chosen_point().trial.candidate,
            summary.front.chosen_point().trial.candidate);
}

// The bounds hold for the chosen point; a baseline that misses them does not stay.
TEST(KeptConfiguration, OneThatMissesTheBoundsDoesNotStay) {
  const TuneSummary summary = WithBaseline(0.999);
  const Constraints constraints{.max_latency_ratio = 0.01};
  EXPECT_FALSE(KeepsBaseline(summary, constraints));
  EXPECT_EQ(WithWrittenPoint(summary, constraints).front.chosen_point().trial.candidate,
            summary.front.chosen_point().trial.candidate);
}

}  // namespace
}  // namespace halftone
