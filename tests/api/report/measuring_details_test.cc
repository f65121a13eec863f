// What is said of points that were measured on a busy machine.
#include "src/api/report/measuring_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halftone {
namespace {

FrontPoint PointMeasuredWith(std::optional<double> other_cores) {
  Measurement measurement;
  measurement.latency.other_cores = other_cores;
  return {.trial = {.candidate = {}, .outcome = measurement}};
}

TEST(WarnOfLoadedPoints, NamesThePointsThatOthersDisturbed) {
  TuneSummary summary;
  summary.machine.cores = 2;
  summary.points = {PointMeasuredWith(0.1), PointMeasuredWith(0.8), PointMeasuredWith({}),
                    PointMeasuredWith(0.3)};
  WarnOfLoadedPoints(summary);
  EXPECT_THAT(summary.warnings,
              ::testing::ElementsAre(
                  "timings of points 2, 4 may be off: other programs used up to 0.8 of 2 cores "
                  "meanwhile; `halftone retune` measures the front again"));
}

// A twentieth of many cores is what daemons do not reach.
TEST(WarnOfLoadedPoints, ManyCoresBearMore) {
  TuneSummary summary;
  summary.machine.cores = 64;
  summary.points = {PointMeasuredWith(0.8)};
  WarnOfLoadedPoints(summary);
  EXPECT_TRUE(summary.warnings.empty());
}

}  // namespace
}  // namespace halftone
