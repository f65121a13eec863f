#include "src/cli/progress.h"

#include <gtest/gtest.h>

#include "src/cli/wrap_help.h"

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
  EXPECT_EQ(ProgressLine::Text(progress, 30, 0),
            "search 50/200 plans, 20 measured, front of 1, fastest 2.00x at 47.1 dB, at most "
            "1:30 left");
  // A time limit that comes first wins.
  EXPECT_EQ(ProgressLine::Text(progress, 30, 40),
            "search 50/200 plans, 20 measured, front of 1, fastest 2.00x at 47.1 dB, at most "
            "0:10 left");
}

TEST(ProgressLineTest, NothingMeasuredYet) {
  EXPECT_EQ(ProgressLine::Text({.planned = 200}, 0, 0), "search 0/200 plans, 0 measured");
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

TEST(WrapTest, BreaksAtBlanks) {
  EXPECT_EQ(Wrap("aaa bbb ccc", 7), "aaa bbb\nccc");
  EXPECT_EQ(Wrap("aaaaaaaaaa b", 4), "aaaaaaaaaa\nb");
  EXPECT_EQ(Wrap("", 4), "");
}

}  // namespace
}  // namespace halftone
