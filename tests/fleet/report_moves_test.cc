// Verdicts on what moved between two rounds, at the edges of intervals and tolerances.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/fleet/report/fleet_report.h"
#include "src/fleet/report/report_texts.h"
#include "tests/fleet/example_fleet.h"

namespace halftone {
namespace {

using ::halftone::testing::ExampleReport;
using ::halftone::testing::FailedResult;
using ::halftone::testing::PointOf;
using ::halftone::testing::ReportOf;
using ::halftone::testing::ResultOf;
using ::testing::ElementsAre;

// The verdicts on one item.
std::string MoveFrom(const FleetResult& before, const FleetResult& now) {
  const FleetReport report = ReportOf({now}, {before});
  EXPECT_EQ(report.moves.size(), 1U);
  return MoveText(report.moves.at(0));
}

FleetResult WithInterval(double low, double high, double sqnr_db = 50) {
  FleetPoint point = PointOf((low + high) / 2, {{"sqnr_db", sqnr_db}}, true);
  point.speed_up_low = low;
  point.speed_up_high = high;
  return ResultOf("k", "n", {point});
}

TEST(FleetMoves, IntervalsThatTouchAreNoMove) {
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(1.5, 2)), "same");
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(1, 1.5)), "same");
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(1, std::nextafter(1.5, 1))), "slower");
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(2, 3)), "same");
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(std::nextafter(2, 3), 3)), "faster");
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), WithInterval(1.7, 1.8)), "same");
}

TEST(FleetMoves, AccuracyMovesByMoreThanItsTolerance) {
  EXPECT_EQ(MoveFrom(WithInterval(1, 2, 50), WithInterval(1, 2, 49)), "same");
  EXPECT_EQ(MoveFrom(WithInterval(1, 2, 50), WithInterval(1, 2, 48.9)), "less accurate");
  EXPECT_EQ(MoveFrom(WithInterval(1, 2, 50), WithInterval(1, 2, 51)), "same");
  EXPECT_EQ(MoveFrom(WithInterval(1, 2, 50), WithInterval(1, 2, 51.1)), "more accurate");
  EXPECT_EQ(MoveFrom(WithInterval(1, 1.1, 50), WithInterval(2, 3, 40)), "less accurate, faster");
  EXPECT_EQ(MoveFrom(WithInterval(2, 3, 50), WithInterval(1, 1.1, 60)), "slower, more accurate");
  const auto agreement = [](double share) {
    return ResultOf("k", "n", {PointOf(2, {{"agreement", share}}, true)});
  };
  EXPECT_EQ(MoveFrom(agreement(0.999), agreement(0.998)), "same");
  EXPECT_EQ(MoveFrom(agreement(0.999), agreement(0.9979)), "less accurate");
  const auto top1 = [](double share) {
    return ResultOf("k", "n", {PointOf(2, {{"sqnr_db", 50}, {"top1", share}}, true)});
  };
  const FleetReport report = ReportOf({top1(0.97)}, {top1(0.985)});
  EXPECT_EQ(MoveText(report.moves[0]), "less accurate");
  EXPECT_EQ(report.moves[0].note, "top1 0.985 -> 0.97");
}

TEST(FleetMoves, EndsDecideBeforePoints) {
  const FleetResult good = WithInterval(1.5, 2);
  FleetResult not_met = WithInterval(1.5, 2);
  not_met.end = TaskEnd::kBoundsNotMet;
  not_met.points[0].chosen = false;
  FleetResult unchosen = not_met;
  unchosen.end = TaskEnd::kDone;
  const FleetResult failed = FailedResult("k", "n", "no");
  EXPECT_EQ(MoveFrom(good, failed), "fails now");
  EXPECT_EQ(MoveFrom(good, not_met), "fails now");
  EXPECT_EQ(MoveFrom(not_met, failed), "fails now");
  EXPECT_EQ(MoveFrom(failed, good), "works again");
  EXPECT_EQ(MoveFrom(failed, failed), "same");
  EXPECT_EQ(MoveFrom(not_met, not_met), "same");
  EXPECT_EQ(MoveFrom(good, unchosen), "fails now");
  EXPECT_EQ(MoveFrom(unchosen, good), "works again");
}

TEST(FleetMoves, PlanThatGivesTheSameIsNamed) {
  FleetResult other = WithInterval(1.5, 2);
  other.points[0].digest = "another";
  EXPECT_EQ(MoveFrom(WithInterval(1.5, 2), other), "plan changed");
  other.points[0].speed_up_low = other.points[0].speed_up_high = 3;
  const FleetReport report = ReportOf({other}, {WithInterval(1.5, 2)});
  EXPECT_EQ(MoveText(report.moves[0]), "faster");
  EXPECT_EQ(report.moves[0].note, "another plan");
}

TEST(FleetMoves, CircumstancesAreNamed) {
  FleetResult now = WithInterval(1.5, 2);
  now.model_hash = "other";
  now.cpu = "other";
  now.version = "0.2.0";
  now.other_cores = 2;
  const FleetReport report = ReportOf({now}, {WithInterval(1.5, 2)});
  EXPECT_EQ(report.moves[0].note,
            "the network is another one; on another CPU; halftone 0.1.0, then 0.2.0; the machine "
            "was busy");
}

TEST(FleetMoves, WorstStandsFirst) {
  std::vector<std::string> moves;
  for (const FleetMove& move : ExampleReport().moves) {
    moves.push_back(move.item.kind + " " + move.item.network + ": " + MoveText(move));
  }
  EXPECT_THAT(
      moves, ElementsAre("sapphire tokens: fails now", "zen5 old: gone", "zen5 speech: slower",
                         "zen5 tokens: less accurate", "zen5 fresh: new", "sapphire strict: new",
                         "sapphire fresh: new", "sapphire speech: more accurate",
                         "sapphire image: faster", "zen5 strict: works again", "zen5 image: same"));
}

TEST(FleetMoves, SlowestOfTheSlowerStandsFirst) {
  const auto at = [](const std::string& name, double speed_up) {
    return ResultOf("k", name, {PointOf(speed_up, {{"sqnr_db", 50}}, true)});
  };
  const FleetReport report =
      ReportOf({at("a", 1.8), at("b", 1.1), at("c", 1.5)}, {at("a", 2), at("b", 2), at("c", 2)});
  EXPECT_EQ(report.moves[0].item.network, "b");
  EXPECT_EQ(report.moves[1].item.network, "c");
  EXPECT_EQ(report.moves[2].item.network, "a");
}

TEST(FleetMoves, WhatLostMoreAccuracyStandsFirstEvenIfItIsFaster) {
  const auto at = [](const std::string& name, double speed_up, double sqnr_db) {
    return ResultOf("k", name, {PointOf(speed_up, {{"sqnr_db", sqnr_db}}, true)});
  };
  const FleetReport report = ReportOf({at("a", 3, 48), at("b", 2, 40), at("c", 3, 45)},
                                      {at("a", 2, 50), at("b", 2, 50), at("c", 2, 50)});
  EXPECT_EQ(report.moves[0].item.network, "b");
  EXPECT_EQ(report.moves[1].item.network, "c");
  EXPECT_EQ(report.moves[2].item.network, "a");
}

TEST(FleetMoves, SpeedUpOfZeroBeforeIsNoTrap) {
  FleetResult before = WithInterval(0, 0);
  before.points[0].speed_up = 0;
  EXPECT_EQ(MoveFrom(before, WithInterval(1, 2)), "faster");
}

}  // namespace
}  // namespace halftone
