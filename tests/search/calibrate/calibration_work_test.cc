// What a calibration does in how little time.
#include "search/calibrate/calibration_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/calibrate/calibrate.h"
#include "tests/search/calibrate/int8_fixture.h"

namespace halftone {
namespace {

using testing::Filled;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::SamplesOf;

constexpr CalibrationWork kAll{
    .samples = 48, .hedges = 4, .factors = true, .compares = true, .corrects = true};

TEST(CalibrationWorkTest, EverythingIsDoneWhereItFits) {
  EXPECT_EQ(WorkWithin(kAll, CostOf(kAll)), kAll);
  EXPECT_EQ(RunsOf(kAll), 96U + 12 + 8 + 16 + 6 * 8);
}

TEST(CalibrationWorkTest, LessTimeNeverMeansMoreCostThanThereIs) {
  for (int half = 4; half < 2 * CostOf(kAll) + 20; ++half) {
    const double most = half / 2.0;
    const CalibrationWork work = WorkWithin(kAll, most);
    EXPECT_LE(CostOf(work), most) << most;
    EXPECT_GE(work.samples, 1U);
  }
}

TEST(CalibrationWorkTest, SamplesGoFirstThenStepsInTheirOrder) {
  const double most = CostOf(kAll);
  EXPECT_EQ(WorkWithin(kAll, most - 1).hedges, 4U) << "fewer samples do";
  EXPECT_LT(WorkWithin(kAll, most - 1).samples, 48U);
  bool hedged = true;
  bool factored = true;
  bool compared = true;
  bool corrected = true;
  for (int less = 0; less < most - 1; ++less) {
    const double left = most - less;
    const CalibrationWork work = WorkWithin(kAll, left);
    hedged = hedged && work.hedges > 0;
    factored = factored && work.factors;
    compared = compared && work.compares;
    corrected = corrected && work.corrects;
    EXPECT_LE(hedged, factored) << left;
    EXPECT_LE(factored, compared) << left;
    EXPECT_LE(compared, corrected) << left;
  }
  EXPECT_FALSE(corrected);
}

TEST(CalibrationWorkTest, TheRangesOfOneSampleAreAlwaysThere) {
  EXPECT_EQ(WorkWithin(kAll, 0), (CalibrationWork{.samples = 1}));
}

Graph Products() {
  GraphBuilder net;
  const ValueId x = net.Input("x", {2, 8});
  const ValueId w = net.Constant(
      "w", Filled({8, 8}, [](std::int64_t i) { return std::cos(static_cast<double>(i)); }));
  return net.Finish({net.Add(OpKind::kMatMul, "m", {x, w})});
}

// A clock that moves with each run alone.
class TimedCalibrationTest : public ::testing::Test {
 protected:
  Calibration Calibrated(double run_s, double budget_s) {
    runs_ = 0;
    now_s_ = 0;
    const TimeBudget budget(budget_s, [this] { return now_s_; });
    CalibrationOptions options{.hedges = CalibrationHedges()};
    options.time = budget.Slice(0.2);
    options.on_progress = [&](std::size_t done, std::size_t /*planned*/) {
      runs_ = done;
      now_s_ += run_s;
    };
    const Graph graph = Products();
    const Dataset samples = SamplesOf(
        graph, 20,
        [](std::size_t /*input*/, std::int64_t /*i*/, Rng& rng) { return rng.Uniform(-2, 1); });
    return Calibrate(graph, samples, options);
  }

  std::size_t runs_ = 0;
  double now_s_ = 0;
};

TEST_F(TimedCalibrationTest, TakesAtMostItsShareOfTheBudget) {
  for (const double run_s : {0.01, 0.1, 0.5, 1.0, 3.0, 6.0}) {
    const Calibration made = Calibrated(run_s, 90);
    EXPECT_LE(now_s_, 18) << run_s;
    EXPECT_FALSE(made.quantization.activations.empty());
  }
}

TEST_F(TimedCalibrationTest, SaysHowManySamplesAndWhy) {
  const Calibration made = Calibrated(3, 90);
  EXPECT_LT(made.samples, 20U);
  EXPECT_THAT(made.cut, HasSubstr("of 20 samples, without "));
  EXPECT_THAT(made.cut,
              HasSubstr("a float32 run takes 3 s here, and calibration has 18 s of the budget"));
  EXPECT_EQ(Calibrated(0.001, 90).cut, "");
}

TEST_F(TimedCalibrationTest, NeverFailsForTime) {
  const Calibration made = Calibrated(1000, 90);
  EXPECT_EQ(made.samples, 1U);
  EXPECT_LE(runs_, 2U) << "the least and greatest values, and what lies between";
  EXPECT_FALSE(made.quantization.activations.empty());
}

}  // namespace
}  // namespace halftone
