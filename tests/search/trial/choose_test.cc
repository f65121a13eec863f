// Constraints, and the member of the front that they choose.
#include "search/trial/choose.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

struct Member {
  double latency;
  double sqnr;
  double worst_sqnr;
  double top1 = -1;       // negative: no labels
  double agreement = -1;  // negative: no classes
};

Trial TrialOf(const Member& member) {
  Measurement measurement;
  measurement.latency.ratio = member.latency;
  auto& metrics = measurement.accuracy.metrics;
  metrics = {{"sqnr_db", member.sqnr, member.worst_sqnr, 0},
             {"rel_l2", 1 / member.sqnr, 1 / member.sqnr, 0}};
  if (member.agreement >= 0) {
    metrics.push_back({"top1_agreement", member.agreement, member.agreement, 0});
  }
  if (member.top1 >= 0) {
    metrics.push_back({"top1", member.top1, member.top1, 0});
  }
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

struct ViolationCase {
  const char* name;
  Constraints constraints;
  Member member;
  std::optional<double> reference_top1;
  const char* violation;  // "": none
};

class ViolationTest : public ::testing::TestWithParam<ViolationCase> {};

TEST_P(ViolationTest, SaysWhichBoundIsMissed) {
  const auto& param = GetParam();
  const Trial trial = TrialOf(param.member);
  EXPECT_EQ(Violation(param.constraints, *trial.measurement(), param.reference_top1).value_or(""),
            param.violation);
}

// Each of 95 % of the samples must keep the bound, whatever the mean.
TEST(ShareTest, CountsSamplesThatMissTheBound) {
  Trial trial = TrialOf({0.5, 60, 10});
  auto& values = std::get<Measurement>(trial.outcome).accuracy.metrics[0].values;
  values = std::vector<double>(100, 60.0);
  const Constraints bound{.min_sqnr_db = 40, .min_sqnr_db_share = 0.95};
  const auto violation = [&] { return Violation(bound, *trial.measurement(), {}); };
  EXPECT_EQ(violation(), std::nullopt);
  std::fill_n(values.begin(), 5, 10.0);
  EXPECT_EQ(violation(), std::nullopt);
  values[5] = 39;
  EXPECT_EQ(violation(), "6 of 100 samples are below 40.00 dB, 5 % of them may be");
  values.clear();
  EXPECT_EQ(violation(), "the values of single samples are not known: tune again");
  std::get<Measurement>(trial.outcome).accuracy.metrics[0].worst = 45;
  EXPECT_EQ(violation(), std::nullopt) << "not even the worst one misses it";
}

TEST(ShareTest, Texts) {
  Constraints constraints;
  const BoundRow& sqnr = AllBounds()[0];
  EXPECT_TRUE(ParseBound("40@95%", sqnr, constraints));
  EXPECT_EQ(constraints, (Constraints{.min_sqnr_db = 40, .min_sqnr_db_share = 0.95}));
  EXPECT_EQ(BoundText(sqnr, constraints), "40@95%");
  EXPECT_EQ(DemandOf(constraints), "an SQNR of at least 40 dB for 95 % of the samples");
  for (const char* text : {"", "40@", "40@95", "@95%", "40@%", "x@95%", "40@95%%"}) {
    Constraints none;
    EXPECT_FALSE(ParseBound(text, sqnr, none)) << text;
    EXPECT_EQ(none, Constraints{}) << text;
  }
  Constraints none;
  EXPECT_FALSE(ParseBound("0.1@95%", AllBounds()[2], none)) << AllBounds()[2].name;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ViolationTest,
    ::testing::Values(
        ViolationCase{"NoneAsked", {}, {0.5, 3, 1}, {}, ""},
        ViolationCase{"SqnrMet", {.min_sqnr_db = 40}, {0.5, 40, 30}, {}, ""},
        ViolationCase{"SqnrMissed",
                      {.min_sqnr_db = 40},
                      {0.5, 39.5, 30},
                      {},
                      "SQNR is 39.50 dB, at least 40.00 dB is asked for"},
        ViolationCase{
            "Top1ExactlyMet", {.max_top1_drop = 0.02}, {0.5, 40, 30, 0.88, 0.5}, 0.90, ""},
        ViolationCase{
            "Top1Missed",
            {.max_top1_drop = 0.02},
            {0.5, 40, 30, 0.87, 1},
            0.90,
            "top-1 drops from 90.00 % to 87.00 %, by 3.00 %; at most 2.00 % is asked for"},
        ViolationCase{"AgreementMet", {.max_top1_drop = 0.02}, {0.5, 40, 30, -1, 0.98}, {}, ""},
        ViolationCase{
            "AgreementMissed",
            {.max_top1_drop = 0.02},
            {0.5, 40, 30, -1, 0.97},
            {},
            "top-1 agrees with float32 in 97.00 % of the cases, at least 98.00 % is asked "
            "for"},
        ViolationCase{
            "NoClasses",
            {.max_top1_drop = 0.02},
            {0.5, 40, 30},
            {},
            "a bound on the top-1 drop needs an output with classes, and this network has "
            "none"},
        ViolationCase{"LatencyMissed",
                      {.max_latency_ratio = 0.6},
                      {0.7, 40, 30},
                      {},
                      "latency is 0.700 of float32, at most 0.600 is asked for"},
        ViolationCase{"RelL2Missed",
                      {.max_rel_l2 = 0.01},
                      {0.5, 40, 30},
                      {},
                      "the relative L2 error is 0.025, at most 0.01 is asked for"},
        ViolationCase{"FirstIsNamed",
                      {.min_sqnr_db = 50, .max_latency_ratio = 0.6},
                      {0.7, 40, 30},
                      {},
                      "SQNR is 40.00 dB, at least 50.00 dB is asked for"}),
    [](const auto& param) { return param.param.name; });

struct ChooseCase {
  const char* name;
  std::vector<Member> front;  // fastest first
  Constraints constraints;
  int chosen;  // -1: none
};

class ChooseTest : public ::testing::TestWithParam<ChooseCase> {};

TEST_P(ChooseTest, Chooses) {
  std::vector<Trial> front;
  for (const Member& member : GetParam().front) {
    front.push_back(TrialOf(member));
  }
  const auto chosen = ChooseMember(front, GetParam().constraints, std::nullopt);
  EXPECT_EQ(chosen ? static_cast<int>(*chosen) : -1, GetParam().chosen);
}

const std::vector<Member> kFront = {{0.5, 20, 15}, {0.6, 35, 29}, {0.7, 45, 31}, {1.0, 200, 200}};

INSTANTIATE_TEST_SUITE_P(
    Cases, ChooseTest,
    ::testing::Values(
        ChooseCase{"EmptyFront", {}, {}, -1},
        ChooseCase{"DefaultIsTheFastestWith30DbInTheWorstSample", kFront, {}, 2},
        ChooseCase{"DefaultElseTheMostAccurate", {{0.5, 10, 5}, {0.6, 20, 15}}, {}, 1},
        ChooseCase{"FastestThatMeetsTheBound", kFront, {.min_sqnr_db = 30}, 1},
        ChooseCase{"ALowBoundIsTheUsersChoice", kFront, {.min_sqnr_db = 10}, 0},
        ChooseCase{"NoneMeetsTheBound", kFront, {.min_sqnr_db = 30, .max_latency_ratio = 0.55}, -1},
        ChooseCase{
            "LatencyOnlyTakesTheMostAccurateBelowIt", kFront, {.max_latency_ratio = 0.65}, 1},
        ChooseCase{"LatencyOnlyTakesTheMostAccurate", kFront, {.max_latency_ratio = 2}, 3},
        ChooseCase{"RelL2", kFront, {.max_rel_l2 = 1 / 34.0}, 1}),
    [](const auto& param) { return param.param.name; });

TEST(ChooseMemberTest, RejectionsAreNeverChosen) {
  Trial rejected;
  rejected.outcome = Rejection{"overflow"};
  EXPECT_FALSE(ChooseMember(std::vector<Trial>{rejected}, {}, {}).has_value());
}

TEST(NearestMembersTest, WhatMeetsEachKindOfBound) {
  std::vector<Trial> front;
  for (const Member& member : kFront) {
    front.push_back(TrialOf(member));
  }
  using Indices = std::vector<std::size_t>;
  const Constraints both{.min_sqnr_db = 40, .max_latency_ratio = 0.65};
  EXPECT_EQ(NearestMembers(front, both, {}), (Indices{2, 1}));
  EXPECT_EQ(NearestMembers(front, {.min_sqnr_db = 300}, {}), Indices{3});
  EXPECT_EQ(NearestMembers(front, {.max_latency_ratio = 0.1}, {}), Indices{3});
  EXPECT_EQ(NearestMembers({}, both, {}), Indices{});
}

TEST(ChooseMemberOfTest, OthersDoNotCount) {
  std::vector<Trial> front;
  for (const Member& member : kFront) {
    front.push_back(TrialOf(member));
  }
  const std::vector<std::size_t> allowed = {2, 3};
  EXPECT_EQ(ChooseMemberOf(front, allowed, {.min_sqnr_db = 30}, {}), 2U);
  EXPECT_EQ(ChooseMemberOf(front, {}, {.min_sqnr_db = 30}, {}), std::nullopt);
}

// Members within 1 % of the fastest are equally fast: the most accurate of them is taken.
TEST(ChooseMember, TakesTheMostAccurateOfATie) {
  const std::vector<Trial> front = {TrialOf({0.700, 40, 35}), TrialOf({0.706, 50, 45}),
                                    TrialOf({0.708, 45, 40}), TrialOf({0.720, 60, 55})};
  EXPECT_EQ(ChooseMember(front, {.min_sqnr_db = 30}, {}), 1U);
  EXPECT_EQ(ChooseMember(front, {}, {}), 1U);
}

}  // namespace
}  // namespace halftone
