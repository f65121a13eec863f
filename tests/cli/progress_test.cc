#include "src/cli/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace halftone {
namespace {

TEST(ProgressLineTest, SaysPhaseBestAndTimeLeft) {
  Trial trial;
  Measurement measurement;
  measurement.latency.ratio = 0.5;
  measurement.accuracy.metrics = {{"sqnr_db", 47.125, 40, 0}, {"rel_l2", 0.004, 0.01, 0}};
  trial.outcome = measurement;
  const std::vector<Trial> trials = {trial};
  const TunerProgress progress{
      .done = 50, .planned = 200, .measured = 20, .trials = trials, .last = &trials[0]};
  EXPECT_EQ(ProgressLine::Text(progress, {.phase_s = 30, .run_s = 45}),
            "search 50/200 plans, 20 measured, front of 1, fastest 2.00x at 47.1 dB, about "
            "1:30 of searching left");
  TunerProgress confirming = progress;
  confirming.phase = TunerProgress::Phase::kConfirm;
  EXPECT_EQ(ProgressLine::Text(confirming, {.phase_s = 30, .run_s = 45}),
            "confirm 50/200 points of the front, front of 1, fastest 2.00x at 47.1 dB, about "
            "1:30 of confirming left");
  // Where a limit ends it, only what is known is said.
  EXPECT_EQ(ProgressLine::Text(progress, {.phase_s = 30, .run_s = 45, .limit_s = 600}),
            "search 50/200 plans, 20 measured, front of 1, fastest 2.00x at 47.1 dB, 0:45 of at "
            "most 10:00");
  TunerProgress endless = progress;
  endless.planned = kNoLimitOfPlans;
  EXPECT_EQ(ProgressLine::Text(endless, {.phase_s = 30, .run_s = 45}),
            "search 50 plans, 20 measured, front of 1, fastest 2.00x at 47.1 dB");
}

TEST(ProgressLineTest, WithBoundsItHasTheBestThatMeetsThem) {
  std::vector<Trial> trials;
  for (const auto& [ratio, sqnr_db] : {std::pair(0.25, 20.0), std::pair(0.5, 47.125)}) {
    Measurement measurement;
    measurement.latency.ratio = ratio;
    measurement.latency.ratio_interval = {ratio, ratio};
    const double error = std::pow(10, -sqnr_db / 20);
    measurement.accuracy.metrics = {{"sqnr_db", sqnr_db, sqnr_db, 0}, {"rel_l2", error, error, 0}};
    Trial& trial = trials.emplace_back();
    trial.plan_digest = {1, trials.size()};
    trial.outcome = measurement;
  }
  const TunerProgress progress{
      .done = 2, .planned = kNoLimitOfPlans, .measured = 2, .trials = trials};
  const auto with = [&](double min_sqnr_db) {
    return ProgressLine::Text(progress, {}, {.bounds = {.min_sqnr_db = min_sqnr_db}});
  };
  EXPECT_EQ(with(10),
            "search 2 plans, 2 measured, front of 2, fastest within the bounds 4.00x at 20.0 dB");
  EXPECT_EQ(with(40),
            "search 2 plans, 2 measured, front of 2, fastest within the bounds 2.00x at 47.1 dB");
  EXPECT_EQ(with(60), "search 2 plans, 2 measured, front of 2, none meets the bounds yet");
}

TEST(ProgressLineTest, NothingMeasuredYet) {
  EXPECT_EQ(ProgressLine::Text({.planned = 200}, {}), "search 0/200 plans, 0 measured");
}

TEST(ProgressLineTest, ProbesSayWhatIsProbed) {
  EXPECT_EQ(ProgressLine::Text(ProbeProgress{.stage = "errors", .done = 12, .planned = 34}),
            "probes: errors of 12/34 groups of operators");
  EXPECT_EQ(ProgressLine::Text(ProbeProgress{.stage = "times", .done = 0, .planned = 9}),
            "probes: times of 9 plans");
}

TEST(ProgressLineTest, OperatorTuningSaysWhatIsDecided) {
  EXPECT_EQ(ProgressLine::Text(OperatorTunerProgress{
                .decided = 12, .operators = 34, .spent_s = 1.52, .budget_s = 4}),
            "operators: 12/34 decided, 1.5 of 4 s");
  EXPECT_EQ(ProgressLine::Text(OperatorTunerProgress{
                .confirming = true, .decided = 12, .operators = 34, .spent_s = 3.2, .budget_s = 4}),
            "operators: winners run once more, 3.2 of 4 s");
  EXPECT_EQ(
      ProgressLine::Text(OperatorTunerProgress{.profiled = "Conv", .decided = 1, .operators = 9}),
      "machine profile: Conv in 2 of 9 formats and modes");
}

TEST(ProgressLineTest, ALineThatIsTooLongLosesItsLastParts) {
  EXPECT_EQ(ProgressLine::Shortened("search 1/2, front of 3, at most 1:30 left", 80),
            "search 1/2, front of 3, at most 1:30 left");
  EXPECT_EQ(ProgressLine::Shortened("search 1/2, front of 3, at most 1:30 left", 30),
            "search 1/2, front of 3");
  EXPECT_EQ(ProgressLine::Shortened("search 1/2, front of 3", 8), "search ");
}

TEST(ProgressLineTest, APlanHasALine) {
  Trial trial;
  trial.candidate.options.precision_mode = "force_fp16";
  trial.outcome = Rejection{"no kernel"};
  EXPECT_EQ(ProgressLine::PlanLine(trial, 7, AllVocabularies()[0]),
            "plan 7: does not run: force_fp16: no kernel");
  Measurement measurement;
  measurement.latency.ratio = 0.5;
  measurement.latency.ratio_interval = {0.5, 0.5};
  measurement.latency.candidate_samples_s = {1e-3};
  measurement.accuracy.metrics = {{"sqnr_db", 47.125, 40, 0}};
  trial.outcome = measurement;
  EXPECT_EQ(ProgressLine::PlanLine(trial, 8, AllVocabularies()[0]),
            "plan 8: 2.000x [2.000, 2.000] at 47.1 dB SQNR: force_fp16");
  measurement.latency.candidate_samples_s.clear();
  trial.outcome = measurement;
  EXPECT_EQ(ProgressLine::PlanLine(trial, 9, AllVocabularies()[0]),
            "plan 9: 2.000x (predicted) at 47.1 dB SQNR: force_fp16")
      << "nothing was timed: of another target";
}

}  // namespace
}  // namespace halftone
