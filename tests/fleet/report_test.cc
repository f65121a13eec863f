// Report of a fleet as data: cells, means and counts of results made up by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "src/fleet/report/fleet_report.h"
#include "src/fleet/report/report_texts.h"
#include "tests/fleet/example_fleet.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleReport;
using ::halftone::testing::FailedResult;
using ::halftone::testing::PlanOf;
using ::halftone::testing::PointOf;
using ::halftone::testing::ReportOf;
using ::halftone::testing::ResultOf;
using ::testing::ElementsAre;

const FleetRow& RowOf(const FleetReport& report, const std::string& kind,
                      const std::string& network) {
  for (const FleetRow& row : report.rows) {
    if (row.item == FleetItem{kind, network}) {
      return row;
    }
  }
  throw std::out_of_range(network);
}

std::vector<std::string> TextsOf(const FleetRow& row) {
  std::vector<std::string> texts;
  for (const FleetCell& cell : row.cells) {
    texts.push_back(CellText(cell, row.judge));
  }
  texts.push_back(CellText(row.chosen, row.judge));
  return texts;
}

TEST(FleetBounds, CellIsTheFastestPointThatKeepsTheBound) {
  const FleetReport report = ExampleReport();
  EXPECT_THAT(TextsOf(RowOf(report, "zen5", "image")),
              ElementsAre("1.50 [1.48, 1.52] (47 dB)", "1.20 [1.18, 1.22] (71 dB)",
                          "1.20 [1.18, 1.22] (71 dB)", "1.50 [1.48, 1.52] (47 dB)",
                          "2.00 [1.98, 2.02] (33 dB)", "1.50 [1.48, 1.52] (47 dB)"));
  // Its only point is as fast as float32: no bound counts, but the choice does.
  EXPECT_THAT(TextsOf(RowOf(report, "sapphire", "speech")),
              ElementsAre("no classes", "-", "-", "-", "-", "1.01 [0.99, 1.03] (130 dB)"));
  EXPECT_THAT(TextsOf(RowOf(report, "zen5", "strict")),
              ElementsAre("no classes", "1.60 [1.58, 1.62] (50 dB)", "-",
                          "1.60 [1.58, 1.62] (50 dB)", "1.60 [1.58, 1.62] (50 dB)", "-"));
}

// Each bound again, in one line each, on fronts with accuracies at the bounds themselves.
TEST(FleetBounds, AgreesWithASearchOverAllPoints) {
  for (int front = 0; front < 64; ++front) {
    std::vector<FleetPoint> points;
    double headroom = 0;
    for (int i = 0; i < 6; ++i) {
      const double speed_up = 1.9 - 0.17 * i;
      const double db = std::vector<double>{29.9, 30, 40, 59, 60, 61}[(front >> i) % 6];
      points.push_back(
          PointOf(speed_up, {{"sqnr_db", db}, {"top1_agreement", i % 2 == 0 ? 1 : 0}}));
      headroom = speed_up - 0.02 > 1 ? std::max(headroom, db) : headroom;
    }
    const auto best = [&](auto&& keeps) {
      double speed_up = 0;
      for (const FleetPoint& point : points) {
        if (keeps(point) && point.speed_up_low > 1) {
          speed_up = std::max(speed_up, point.speed_up);
        }
      }
      return speed_up;
    };
    const std::vector<double> expected = {
        best([](const FleetPoint& p) { return p.accuracy.at("top1_agreement") == 1; }),
        best([&](const FleetPoint& p) { return p.accuracy.at("sqnr_db") > headroom - 1; }),
        best([](const FleetPoint& p) { return p.accuracy.at("sqnr_db") >= 60; }),
        best([](const FleetPoint& p) { return p.accuracy.at("sqnr_db") >= 40; }),
        best([](const FleetPoint& p) { return p.accuracy.at("sqnr_db") >= 30; })};
    const std::vector<FleetCell> cells = CellsOf(ResultOf("k", "n", points), Judge::kSqnr);
    ASSERT_EQ(cells.size(), expected.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_EQ(cells[i].kind, expected[i] == 0 ? CellKind::kNone : CellKind::kPoint);
      if (expected[i] != 0) {
        EXPECT_DOUBLE_EQ(cells[i].speed_up, expected[i]);
        EXPECT_DOUBLE_EQ(cells[i].speed_up_low, expected[i] - 0.02);
        EXPECT_DOUBLE_EQ(cells[i].speed_up_high, expected[i] + 0.02);
      }
    }
  }
}

TEST(FleetBounds, IntegerOutputsAreJudgedByAgreement) {
  const FleetReport report = ExampleReport();
  EXPECT_THAT(TextsOf(RowOf(report, "zen5", "tokens")),
              ElementsAre("1.30 [1.28, 1.32] (100 %)", "1.30 [1.28, 1.32] (100 %)",
                          "1.80 [1.78, 1.82] (99.12 %)", "1.80 [1.78, 1.82] (99.12 %)",
                          "1.80 [1.78, 1.82] (99.12 %)"));
  // It failed on this kind, and stands beside the other one.
  EXPECT_EQ(RowOf(report, "sapphire", "tokens").judge, Judge::kAgreement);
  // A network with both has floating outputs too.
  EXPECT_EQ(JudgeOf(ResultOf("k", "n", {PointOf(2, {{"agreement", 1}, {"sqnr_db", 40}})})),
            Judge::kSqnr);
  EXPECT_EQ(JudgeOf(ResultOf("k", "n", {})), std::nullopt);
}

TEST(FleetBounds, PointsWithoutMetricsKeepNoBound) {
  const FleetReport report = ReportOf({ResultOf("k", "n", {PointOf(2, {}, true)})});
  EXPECT_THAT(TextsOf(report.rows[0]),
              ElementsAre("no classes", "-", "-", "-", "-", "2.00 [1.98, 2.02]"));
}

TEST(FleetBounds, LabelsDecideWhereThereAreSome) {
  FleetResult result = ResultOf(
      "k", "n", {PointOf(2, {{"sqnr_db", 20}, {"top1", 0.9}, {"top1_agreement", 0.95}}, true)});
  result.reference_top1 = 0.9;
  EXPECT_EQ(CellsOf(result, Judge::kSqnr)[0].kind, CellKind::kPoint);
  result.reference_top1 = 0.91;
  EXPECT_EQ(CellsOf(result, Judge::kSqnr)[0].kind, CellKind::kNone);
  result.reference_top1.reset();
  EXPECT_EQ(CellsOf(result, Judge::kSqnr)[0].kind, CellKind::kNone);
}

TEST(FleetReport, CountsItemsByState) {
  const FleetReport report = ExampleReport();
  EXPECT_EQ(report.counts.items, 12);
  EXPECT_EQ(report.counts.good, 7);
  EXPECT_EQ(report.counts.not_met, 1);
  EXPECT_EQ(report.counts.failed, 2);
  EXPECT_EQ(report.counts.damaged, 1);
  EXPECT_EQ(report.counts.not_finished, 1);
  EXPECT_EQ(report.counts.busy, 1);
  EXPECT_DOUBLE_EQ(report.counts.seconds, 8 * 90 + 2 * 2);
  EXPECT_EQ(CountsSentence(report.counts),
            "10 of 12 items finished: 7 done, 1 not meeting their goal, 2 failed; 1 with a damaged "
            "result; 1 not finished");
  EXPECT_THAT(report.strangers, ElementsAre(FleetItem{"zen5", "stranger"}));
}

TEST(FleetReport, StatesNameTheirMarks) {
  const FleetReport report = ExampleReport();
  EXPECT_EQ(StateText(RowOf(report, "sapphire", "image")), "done, busy");
  EXPECT_EQ(StateText(RowOf(report, "sapphire", "speech")), "done, other CPU");
  EXPECT_EQ(StateText(RowOf(report, "zen5", "speech")), "done");
  EXPECT_EQ(StateText(RowOf(report, "zen5", "torn")), "damaged");
  EXPECT_EQ(StateText(RowOf(report, "sapphire", "torn")), "not finished");
  EXPECT_EQ(ReasonText(RowOf(report, "sapphire", "strict")), "exit code 139");
  EXPECT_EQ(ReasonText(RowOf(report, "zen5", "torn")),
            "result.json:3:1: expected ',', found the end");
}

TEST(FleetReport, MeansAreGeometricAndCountFloat32AsOne) {
  const FleetReport report =
      ReportOf({ResultOf("k", "a", {PointOf(2, {{"sqnr_db", 45}}, true)}),
                ResultOf("k", "b", {PointOf(1.5, {{"sqnr_db", 62}}, true)}),
                ResultOf("k", "c", {PointOf(3, {{"sqnr_db", 20}})}), FailedResult("k", "d", "no")});
  ASSERT_EQ(report.means.size(), 1U);
  const MeanRow& mean = report.means[0];
  EXPECT_EQ(mean.bounds[0].networks, 0);  // no classes
  EXPECT_EQ(mean.bounds[2].networks, 3);
  EXPECT_EQ(mean.bounds[2].kept, 1);
  EXPECT_DOUBLE_EQ(mean.bounds[2].speed_up, std::cbrt(1.5));
  EXPECT_EQ(mean.bounds[3].kept, 2);
  EXPECT_DOUBLE_EQ(mean.bounds[3].speed_up, std::cbrt(2 * 1.5));
  EXPECT_DOUBLE_EQ(mean.bounds[1].speed_up, std::cbrt(2 * 1.5 * 3));
  EXPECT_EQ(mean.chosen.networks, 3);
  EXPECT_EQ(mean.chosen.kept, 2);
  EXPECT_DOUBLE_EQ(mean.chosen.speed_up, std::cbrt(2 * 1.5));
}

TEST(FleetReport, MeansOfKindsThatAreDoneInPartAreOfCommonNetworksToo) {
  const std::vector<FleetResult> results = {
      ResultOf("x", "a", {PointOf(2, {{"sqnr_db", 45}}, true)}),
      ResultOf("x", "b", {PointOf(8, {{"sqnr_db", 45}}, true)}),
      ResultOf("y", "a", {PointOf(3, {{"sqnr_db", 45}}, true)})};
  const FleetReport report = MakeFleetReport(results, PlanOf({"x", "y"}, {"a", "b"}), {}, {});
  std::vector<std::string> rows;
  for (const MeanRow& mean : report.means) {
    rows.push_back(mean.scope + (mean.of_common ? "*" : "") + " " +
                   std::to_string(mean.chosen.networks));
  }
  EXPECT_THAT(rows, ElementsAre("x 2", "y 1", "all kinds 3", "x* 1", "y* 1"));
  EXPECT_DOUBLE_EQ(report.means[0].chosen.speed_up, 4);
  EXPECT_DOUBLE_EQ(report.means[2].chosen.speed_up, std::cbrt(2 * 8 * 3));
  EXPECT_DOUBLE_EQ(report.means[3].chosen.speed_up, 2);
}

TEST(FleetReport, NetworksOfOneKindAloneAreNotMissingOnTheOther) {
  FleetPlan plan = PlanOf({"x", "y"}, {"a", "b"});
  plan.networks[1].kinds = {"y"};
  const FleetReport report = MakeFleetReport({}, plan, {}, {});
  EXPECT_EQ(report.counts.items, 3);
  EXPECT_EQ(report.rows[2].item, (FleetItem{"y", "b"}));
}

TEST(FleetReport, ATieIsNoGain) {
  FleetPoint tie = PointOf(1.02, {{"sqnr_db", 45}}, true);
  tie.speed_up_low = 0.98;
  tie.speed_up_high = 1.06;
  FleetPoint near = PointOf(1.005, {{"sqnr_db", 45}}, true);
  near.speed_up_low = 1.001;
  near.speed_up_high = 1.009;
  const FleetReport report = ReportOf({ResultOf("k", "a", {tie}), ResultOf("k", "b", {near}),
                                       ResultOf("k", "c", {PointOf(2, {{"sqnr_db", 45}}, true)})});
  ASSERT_EQ(report.means.size(), 1U);
  EXPECT_EQ(report.means[0].chosen.networks, 3);
  EXPECT_DOUBLE_EQ(report.means[0].chosen.speed_up, std::cbrt(2.0));
}

}  // namespace
}  // namespace halftone
