// A search through the public interface: its result, its events, its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "halftone/halftone.h"
#include "src/base/temporary_folder.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::filesystem::path kDigits = SourceDir() / "examples/digits";

TuneOptions Short() {
  TuneOptions options;
  options.data.inputs = (kDigits / "search_inputs.npy").string();
  options.data.max_samples = 4;
  options.heldout_share = 0;
  options.quantize.mode = QuantizeMode::kOff;
  options.strategy = "exhaustive";
  options.modes = {"force_fp16"};
  options.max_trials = 3;
  options.operator_tuning = OperatorTuningMode::kOff;
  options.measure.threads = 1;
  options.measure.quick_budget_s = 0.001;
  options.measure.full_budget_s = 0.001;
  return options;
}

ModelOptions Model() {
  return {.path = kDigits / "model.onnx", .inputs = (kDigits / "search_inputs.npy").string()};
}

TEST(PublicTuneTest, PointsOfTheResultAreThoseOfTheFolder) {
  const TemporaryFolder folder("this test");
  TuneOptions options = Short();
  options.output = folder.path() / "out";
  std::set<std::string> phases;
  TuneHooks hooks;
  hooks.period_s = 0;
  hooks.on_event = [&](const TuneEvent& event) {
    phases.insert(event.phase);
    EXPECT_EQ(event.phase == "search" || event.phase == "confirm", event.front.has_value())
        << event.phase;
  };
  const TuneResult tuned = Tune(Model(), options, hooks);
  ASSERT_THAT(tuned.points, Not(IsEmpty()));
  for (const TunedPoint& point : tuned.points) {
    EXPECT_TRUE(std::filesystem::exists(options.output / point.folder / "arguments.txt"));
    EXPECT_GT(point.speed_up, 0);
    EXPECT_LE(point.speed_up_interval.low, point.speed_up);
    EXPECT_GE(point.speed_up_interval.high, point.speed_up);
    EXPECT_NE(std::ranges::find(point.accuracy, "sqnr_db", &MetricFigures::name),
              point.accuracy.end());
    EXPECT_THAT(point.heldout, IsEmpty()) << "no samples are held out";
  }
  EXPECT_TRUE(std::ranges::is_sorted(tuned.points, std::greater<>(), &TunedPoint::speed_up));
  ASSERT_TRUE(tuned.chosen) << "without a bound a point is always chosen";
  EXPECT_LT(*tuned.chosen, tuned.points.size());
  EXPECT_THAT(tuned.verdict, Not(IsEmpty()));
  EXPECT_THAT(tuned.text, HasSubstr("float32"));
  EXPECT_THAT(phases, Contains("search"));
}

TEST(PublicTuneTest, AStopEndsTheSearch) {
  TuneHooks hooks;
  hooks.stop_requested = [] { return true; };
  EXPECT_EQ(Tune(Model(), Short(), hooks).outcome, "interrupted");
}

}  // namespace
}  // namespace halftone
