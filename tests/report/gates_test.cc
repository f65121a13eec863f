#include "src/report/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "tests/report/example_summary.h"

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
                Join(GateQuantities(), ", "));
  EXPECT_THAT(Join(GateQuantities(), ", "),
              StartsWith("latency_ratio, speed_up, peak_arena_bytes, top1_drop, sqnr_db, "
                         "sqnr_db_worst, rel_l2, rel_l2_worst, "));
  EXPECT_THAT(ErrorOf("<40"), HasSubstr("'' is no quantity; expected one of"));
  for (const std::string number : {"", "x", "40dB", "4 0", "nan", "inf", "1e999", "<3", "+1"}) {
    EXPECT_EQ(ErrorOf("sqnr_db<" + number),
              "--fail_if=sqnr_db<" + number + ": expected a number behind the comparison, found '" +
                  number + "'");
  }
}

TEST(GatesTest, NeedsLabelsForTop1) {
  const Gate gates[] = {ParseGate("top1_worst<0.5")};
  EXPECT_NO_THROW(CheckGates(gates, true));
  try {
    CheckGates(gates, false);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--fail_if=top1_worst<0.5: top1 needs labels, and none are given; add --labels");
  }
  // Without labels it is the share of classes that are those of float32.
  const Gate drop[] = {ParseGate("top1_drop>0.01")};
  EXPECT_NO_THROW(CheckGates(drop, false));
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

}  // namespace
}  // namespace halftone
