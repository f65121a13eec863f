// What is said of points that were measured on a busy machine.
#include "src/api/report/measuring_details.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

FrontPoint PointMeasuredWith(std::optional<double> other_cores) {
  Measurement measurement;
  measurement.latency.other_cores = other_cores;
  return {.trial = {.candidate = {}, .outcome = measurement}};
}

TEST(WarningOfLoadedPoints, NamesThePointsThatOthersDisturbed) {
  const FrontPoint points[] = {PointMeasuredWith(0.1), PointMeasuredWith(0.8),
                               PointMeasuredWith({}), PointMeasuredWith(0.3)};
  EXPECT_EQ(WarningOfLoadedPoints(points, 2),
            "timings of points 2, 4 may be off: other programs used up to 0.8 of 2 cores "
            "meanwhile; `halftone retune` measures the front again");
}

// A twentieth of many cores is what daemons do not reach.
TEST(WarningOfLoadedPoints, ManyCoresBearMore) {
  const FrontPoint points[] = {PointMeasuredWith(0.8)};
  EXPECT_EQ(WarningOfLoadedPoints(points, 64), "");
}

}  // namespace
}  // namespace halftone
