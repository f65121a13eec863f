#include "src/report/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "src/base/error.h"
#include "src/base/text.h"
#include "tests/support/example_summary.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleSummary;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(std::string_view text) {
  try {
    ParseGate(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

std::string CheckError(std::string_view text, const GateFacts& facts) {
  const Gate gates[] = {ParseGate(text)};
  try {
    CheckGates(gates, facts);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

GateResult Judged(std::string_view text, const TuneSummary& summary) {
  const Gate gates[] = {ParseGate(text)};
  return JudgeGates(gates, summary).at(0);
}

TEST(GatesTest, Reads) {
  EXPECT_EQ(ParseGate("sqnr_db<40"), (Gate{"sqnr_db<40", "sqnr_db", GateComparison::kLess, 40}));
  EXPECT_EQ(ParseGate(" latency_ratio >= 0.9 "),
            (Gate{"latency_ratio >= 0.9", "latency_ratio", GateComparison::kAtLeast, 0.9}));
  EXPECT_EQ(ParseGate("max_abs_worst>1e-3").limit, 1e-3);
  EXPECT_EQ(ParseGate("speed_up<=1").comparison, GateComparison::kAtMost);
  EXPECT_EQ(ParseGate("sqnr_db<-5").limit, -5);
}

// What is a bound of the search may be a gate too.
TEST(GatesTest, EveryBoundIsAQuantity) {
  for (const BoundRow& row : AllBounds()) {
    ASSERT_TRUE(row.name.starts_with("min_") || row.name.starts_with("max_")) << row.name;
    EXPECT_NO_THROW(ParseGate(std::string(row.name.substr(4)) + "<1")) << row.name;
  }
}

TEST(GatesTest, SaysWhatIsWrong) {
  EXPECT_EQ(
      ErrorOf("sqnr_db"),
      "--fail_if=sqnr_db: expected NAME<NUMBER, NAME<=NUMBER, NAME>NUMBER or NAME>=NUMBER, for "
      "example sqnr_db<40");
  EXPECT_THAT(ErrorOf("sqnr_db=40"), HasSubstr("expected NAME<NUMBER"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("--fail_if=: expected NAME<NUMBER"));
  EXPECT_EQ(ErrorOf("snr_db<40"),
            "--fail_if=snr_db<40: 'snr_db' is no quantity; did you mean 'sqnr_db'?; expected one "
            "of " +
                Join(GateQuantities(), ", ") +
                "; those of accuracy also with heldout_ or search_ before them, and promised_ "
                "before what a bound is of");
  EXPECT_THAT(
      Join(GateQuantities(), ", "),
      StartsWith("latency_ratio, speed_up, latency_ms, peak_arena_bytes, top1_drop, metric, "
                 "metric_drop, sqnr_db, sqnr_db_worst, rel_l2, rel_l2_worst, "));
  EXPECT_THAT(ErrorOf("<40"), HasSubstr("'' is no quantity; expected one of"));
  for (const std::string number : {"", "x", "40dB", "4 0", "nan", "inf", "1e999", "<3", "+1"}) {
    EXPECT_EQ(ErrorOf("sqnr_db<" + number),
              "--fail_if=sqnr_db<" + number + ": expected a number behind the comparison, found '" +
                  number + "'");
  }
}

TEST(GatesTest, NeedsLabelsForTop1) {
  const Gate gates[] = {ParseGate("top1_worst<0.5")};
  EXPECT_NO_THROW(CheckGates(gates, {.has_labels = true}));
  EXPECT_EQ(CheckError("top1_worst<0.5", {}),
            "--fail_if=top1_worst<0.5: top1 needs labels, and none are given; add --labels");
  EXPECT_EQ(CheckError("heldout_top1<0.5", {}),
            "--fail_if=heldout_top1<0.5: top1 needs labels, and none are given; add --labels");
  // Without labels it is the share of classes that are those of float32.
  const Gate drop[] = {ParseGate("top1_drop>0.01")};
  EXPECT_NO_THROW(CheckGates(drop, {}));
}

TEST(GatesTest, NeedsTheMetricAndTheBoundThatItIsOf) {
  EXPECT_EQ(CheckError("heldout_metric<0.9", {}),
            "--fail_if=heldout_metric<0.9: metric is that of --metric, and none is given; add it");
  EXPECT_EQ(CheckError("metric_drop>0.1", {.has_metric = true}), "");
  const Constraints none;
  const Constraints sqnr{.min_sqnr_db = 40};
  EXPECT_EQ(CheckError("promised_sqnr_db<38", {.constraints = &none}),
            "--fail_if=promised_sqnr_db<38: limits are promised of bounds; add --min_sqnr_db");
  EXPECT_EQ(CheckError("promised_sqnr_db<38", {.constraints = &sqnr}), "");
  EXPECT_EQ(CheckError("promised_sqnr_db<38", {}), "") << "the bounds are not known yet";
}

TEST(GatesTest, JudgesAccuracyOnHeldoutSamples) {
  TuneSummary summary = ExampleSummary();
  const GateResult heldout = Judged("sqnr_db<47", summary);
  EXPECT_FALSE(heldout.passed);
  EXPECT_EQ(heldout.expected, "sqnr_db of at least 47");
  EXPECT_EQ(heldout.found, "46.5 on held-out samples");
  EXPECT_EQ(heldout.point, "point 2: allow_mix_precision, keep conv1");
  summary.front.points[1].heldout.reset();
  EXPECT_TRUE(Judged("sqnr_db<47", summary).passed);
  EXPECT_EQ(Judged("sqnr_db<47", summary).found, "47.5");
  EXPECT_EQ(Judged("sqnr_db_worst<44.5", summary).found, "44.5");
}

TEST(GatesTest, APrefixSaysWhichSamples) {
  TuneSummary summary = ExampleSummary();
  EXPECT_EQ(Judged("search_sqnr_db<47", summary).found, "47.5");
  EXPECT_TRUE(Judged("search_sqnr_db<47", summary).passed);
  EXPECT_EQ(Judged("heldout_sqnr_db_worst<47", summary).found, "43.5 on held-out samples");
  summary.front.points[1].heldout.reset();
  EXPECT_EQ(Judged("heldout_sqnr_db<47", summary).found, "none: there are no held-out samples");
  EXPECT_FALSE(Judged("heldout_sqnr_db<47", summary).passed);
  EXPECT_THAT(ErrorOf("heldout_speed_up<1"), HasSubstr("'heldout_speed_up' is no quantity"));
  EXPECT_THAT(ErrorOf("promised_cosine<1"), HasSubstr("'promised_cosine' is no quantity"));
}

TEST(GatesTest, ALimitIsWhatIsPromised) {
  TuneSummary summary = ExampleSummary();
  FrontPoint& point = summary.front.points[1];
  point.certificate = Certificate{
      .samples = 100,
      .confidence = 0.9,
      .bounds = {
          {.name = "min_sqnr_db", .asked = 40, .limit = 41.5, .holds = true, .statement = ""}}};
  EXPECT_EQ(Judged("promised_sqnr_db<42", summary).found, "41.5 promised with 90 % confidence");
  EXPECT_FALSE(Judged("promised_sqnr_db<42", summary).passed);
  EXPECT_TRUE(Judged("promised_sqnr_db<41", summary).passed);
  EXPECT_EQ(Judged("promised_rel_l2>1", summary).found, "none: nothing is promised of it");
  point.certificate->bounds[0].limit = -std::numeric_limits<double>::infinity();
  EXPECT_FALSE(Judged("promised_sqnr_db<41", summary).passed);
  EXPECT_EQ(Judged("promised_sqnr_db<41", summary).found,
            "nothing that so few held-out samples can promise");
  point.certificate.reset();
  EXPECT_FALSE(Judged("promised_sqnr_db<41", summary).passed);
}

TEST(GatesTest, AMetricOfTheUsersIsAQuantity) {
  TuneSummary summary = ExampleSummary();
  summary.reference.metric = MetricSummary{
      .name = "command:f1", .higher_is_better = true, .reference = 0.9, .heldout_reference = 0.8};
  FrontPoint& point = summary.front.points[1];
  point.heldout->metrics.push_back({.name = "command:f1", .mean = 0.75});
  EXPECT_EQ(Judged("metric<0.7", summary).found, "0.75 on held-out samples");
  EXPECT_TRUE(Judged("metric<0.7", summary).passed);
  EXPECT_EQ(Judged("metric_drop>0.06", summary).found, "0.05 on held-out samples");
  EXPECT_EQ(Judged("search_metric<0.7", summary).found, "none: there is no metric");
  summary.reference.metric->higher_is_better = false;
  EXPECT_EQ(Judged("metric_drop>0.06", summary).found, "-0.05 on held-out samples");
}

// retune judges what it has measured.
TEST(GatesTest, APointThatCannotRunFails) {
  const Gate gates[] = {ParseGate("speed_up<1")};
  const GateResult result = JudgeGates(gates, {.name = "point 1: force_fp16"}).at(0);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.found, "none: the point cannot run");
  EXPECT_EQ(result.point, "point 1: force_fp16");
}

TEST(GatesTest, ComparesAtTheLimit) {
  const TuneSummary summary = ExampleSummary();
  EXPECT_TRUE(Judged("latency_ratio>0.75", summary).passed);
  EXPECT_FALSE(Judged("latency_ratio>=0.75", summary).passed);
  EXPECT_TRUE(Judged("latency_ratio<0.75", summary).passed);
  EXPECT_FALSE(Judged("latency_ratio<=0.75", summary).passed);
  EXPECT_EQ(Judged("latency_ratio>=0.75", summary).expected, "latency_ratio below 0.75");
  EXPECT_EQ(Judged("latency_ratio>=0.75", summary).found, "0.75");
  EXPECT_EQ(Judged("latency_ratio<=0.5", summary).expected, "latency_ratio above 0.5");
  EXPECT_TRUE(Judged("peak_arena_bytes>12345", summary).passed);
}

TEST(GatesTest, ATop1DropIsAgainstFloat32) {
  TuneSummary summary = ExampleSummary();
  summary.front.points[1].heldout.reset();
  EXPECT_NEAR(std::stod(Judged("top1_drop>0.01", summary).found), 0.005, 1e-9);
  summary.front.points[1].heldout = Accuracy{{{"top1_agreement", 0.875, 0, 1}}};
  EXPECT_EQ(Judged("top1_drop>0.01", summary).found, "0.125 on held-out samples");
}

TEST(GatesTest, WhatIsNotThereFails) {
  TuneSummary summary = ExampleSummary();
  EXPECT_EQ(Judged("cosine<0.9", summary).found, "none: there is no cosine on held-out samples");
  EXPECT_FALSE(Judged("cosine<0.9", summary).passed);
  summary.front.chosen.reset();
  EXPECT_FALSE(Judged("speed_up<1", summary).passed);
  EXPECT_EQ(Judged("speed_up<1", summary).found, "no point that meets the bounds");
  summary.front.points.clear();
  EXPECT_EQ(Judged("speed_up<1", summary).found, "no point that could be measured");
  EXPECT_EQ(Judged("speed_up<1", summary).point, "");
}

TEST(GatesTest, NumbersThatStandForEventsAreWords) {
  TuneSummary summary = ExampleSummary();
  auto& metrics = std::get<Measurement>(summary.front.points[1].trial.outcome).accuracy.metrics;
  for (MetricValue& value : metrics) {
    value.mean = value.name == "sqnr_db"  ? kExactSqnrDb
                 : value.name == "rel_l2" ? kBrokenRelL2
                                          : value.mean;
  }
  EXPECT_EQ(Judged("search_sqnr_db<47", summary).found, "exact");
  EXPECT_EQ(Judged("search_rel_l2>1", summary).found, "not finite");
}

}  // namespace
}  // namespace halftone
