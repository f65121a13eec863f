#include "src/api/bank/store_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge_base/front_trials.h"
#include "src/api/bank/kernel_record.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Trial Point(std::uint64_t plan, double ratio, double loss, const std::string& mode = "force_fp16") {
  Trial trial;
  trial.candidate.options.precision_mode = mode;
  trial.plan_digest = {0, plan};
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.latency.ratio_interval = {ratio, ratio};
  measurement.accuracy.metrics = {{.name = "rel_l2", .mean = loss}};
  measurement.confirmed = true;
  trial.outcome = measurement;
  return trial;
}

class StoreFrontTest : public ::testing::Test {
 protected:
  StoreFrontTest() { space_.modes = {"force_fp16", "must_keep_origin_dtype"}; }

  TuneSummary Store(const std::vector<Trial>& points, std::optional<std::size_t> chosen = 0) {
    TuneSummary summary;
    summary.search.strategy = "greedy";
    summary.front.chosen = chosen;
    summary.reference.metric = metric_;
    for (const Trial& trial : points) {
      log_.Add(trial);
      summary.front.points.push_back({.trial = trial});
    }
    if (started_from_baseline_) {
      summary.front.baseline = points.front();
    }
    if (const std::string warning = StoreFront(log_, space_, FactsOfKernels(kernels_), summary);
        !warning.empty()) {
      summary.warnings.push_back(warning);
    }
    return summary;
  }

  // The plans of the newest front.
  std::vector<std::uint64_t> Plans() {
    std::vector<std::uint64_t> plans;
    const std::vector<StoredFront> fronts = store_->Fronts(key_);
    for (const FrontMember& member : fronts.at(0).members) {
      plans.push_back(member.plan_digest.low);
    }
    return plans;
  }

  std::unique_ptr<TrialStore> store_ = MakeMemoryStore();
  Hash128 key_ = store_->AddWorkload({.model_name = "m", .tool_version = "1"});
  TrialLog log_{*store_, key_};
  SearchSpace space_;
  std::string kernels_;
  std::optional<MetricSummary> metric_;
  bool started_from_baseline_ = false;
};

// `tune --max_trials=2` on a bank with a better front left its own two points as the newest.
TEST_F(StoreFrontTest, ALittleRunDoesNotReplaceABetterFront) {
  Store({Point(1, 0.4, 0.2), Point(2, 0.6, 0.1), Point(3, 0.8, 0.01)}, 1);
  const TuneSummary little = Store({Point(4, 0.5, 0.15), Point(5, 0.9, 0.05)});
  EXPECT_THAT(Plans(), ElementsAre(1, 4, 2, 3));
  EXPECT_EQ(store_->Fronts(key_)[0].chosen, 3U) << "of all of them, as ChooseMember() does";
  ASSERT_THAT(little.warnings, SizeIs(1));
  EXPECT_EQ(little.warnings[0],
            "the knowledge base holds 3 better points of an earlier run that this one did not "
            "reach; its front, which `halftone run --from_bank` uses, has them too");
  EXPECT_THAT(little.front.points, SizeIs(2)) << "what was reported stays";
}

TEST_F(StoreFrontTest, ABetterRunReplacesIt) {
  Store({Point(1, 0.4, 0.2), Point(2, 0.6, 0.1)});
  EXPECT_THAT(Store({Point(3, 0.3, 0.05)}).warnings, IsEmpty());
  EXPECT_THAT(Plans(), ElementsAre(3));
}

// Members of before are judged by the metric of this run; those that do not have it stay out.
TEST_F(StoreFrontTest, EarlierMembersByTheMetricOfThisRun) {
  const auto with_top1 = [](Trial trial, double top1) {
    std::get<Measurement>(trial.outcome).accuracy.metrics.push_back({.name = "top1", .mean = top1});
    return trial;
  };
  Store({with_top1(Point(1, 0.4, 0.2), 0.95), with_top1(Point(2, 0.5, 0.1), 0.90),
         with_top1(Point(3, 0.6, 0.01), 0.99), Point(4, 0.8, 0.001)});
  Trial own = with_top1(Point(5, 0.7, 1e-4), 0.97);
  std::get<Measurement>(own.outcome).accuracy.loss = -0.97;
  metric_ = MetricSummary{.name = "top1", .higher_is_better = true};
  Store({own});
  EXPECT_THAT(Plans(), ElementsAre(1, 3));
}

TEST_F(StoreFrontTest, TheSameRunStoresTheSameFront) {
  Store({Point(1, 0.4, 0.2), Point(2, 0.6, 0.1)}, 1);
  EXPECT_THAT(Store({Point(1, 0.4, 0.2), Point(2, 0.6, 0.1)}, 1).warnings, IsEmpty());
  EXPECT_THAT(Plans(), ElementsAre(1, 2));
  EXPECT_EQ(store_->Fronts(key_)[0].chosen, 1U);
}

TEST_F(StoreFrontTest, WhatThisRunWouldNotProposeStaysOut) {
  Trial other_mode = Point(1, 0.3, 0.2, "must_keep_origin_dtype");
  Trial without_pin = Point(2, 0.4, 0.15);
  Trial with_pin = Point(3, 0.5, 0.1);
  with_pin.candidate.options.keep_dtype = {"conv1", "conv2"};
  Store({other_mode, without_pin, with_pin});
  space_.modes = {"force_fp16"};
  space_.pinned_keep_dtype = {"conv2"};
  Store({Point(4, 0.6, 0.01)});
  EXPECT_THAT(Plans(), ElementsAre(3, 4));
}

TEST_F(StoreFrontTest, WhatStartsFromABaselineIsItsOwn) {
  Store({Point(1, 0.4, 0.2)});
  started_from_baseline_ = true;
  Store({Point(2, 0.5, 0.3)});
  EXPECT_THAT(Plans(), ElementsAre(2));
}

TEST_F(StoreFrontTest, UnconfirmedMembersOfAnInterruptedRunAreNotTakenOver) {
  Trial quick = Point(1, 0.1, 0.01);
  std::get<Measurement>(quick.outcome).confirmed = false;
  Store({quick});
  Store({Point(2, 0.5, 0.3)});
  EXPECT_THAT(Plans(), ElementsAre(2));
}

TEST_F(StoreFrontTest, KernelsAreKeptWithTheFront) {
  kernels_ = "\"conv1\"\tfloat32 conv.f32.onednn\n";
  Store({Point(1, 0.4, 0.2)});
  EXPECT_EQ(store_->Fronts(key_)[0].provenance.at("kernels"), kernels_);
}

// 0.1.0 looked the trial up by its content, which reports had filled up meanwhile, and the front
// named a measurement that nobody had stored.
TEST_F(StoreFrontTest, WhatReportsFillUpIsNotWhatTheFrontNames) {
  const Trial measured = Point(1, 0.4, 0.2);
  TuneSummary summary;
  log_.Add(measured);
  summary.front.points.push_back({.trial = measured});
  auto& accuracy = std::get<Measurement>(summary.front.points[0].trial.outcome).accuracy;
  accuracy.metrics[0].values = {0.1, 0.3};
  StoreFront(log_, space_, {}, summary);
  const auto history = store_->History(key_);
  ASSERT_THAT(history, SizeIs(1));
  const StoredTrial* member = FindMember(history, store_->Fronts(key_).at(0).members.at(0));
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(member->trial, measured);
}

TEST_F(StoreFrontTest, NothingIsStoredForNothing) {
  Store({});
  EXPECT_THAT(store_->Fronts(key_), IsEmpty());
}

}  // namespace
}  // namespace halftone
