// Other goals on a network that was tuned: what the knowledge base answers, and when it does not.
#include "src/api/tune/answer_from_bank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "knowledge_base/sqlite_store.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AnswerFromBankTest : public ::testing::Test {
 protected:
  AnswerFromBankTest() {
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy",
                     .labels = digits / "search_labels.npy",
                     .max_samples = 80};
    options_.max_trials = 8;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.02, .full_budget_s = 0.04};
    options_.bank = folder_ / "bank";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~AnswerFromBankTest() override { std::filesystem::remove_all(folder_); }

  // Whether anything was planned to be run.
  TuneSummary TuneNow() {
    planned_ = false;
    return Tune(model_, options_, {.on_work_plan = [&](const std::string&) { planned_ = true; }});
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_answer_from_bank_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
  bool planned_ = false;
};

TEST_F(AnswerFromBankTest, AnotherGoalRunsNothing) {
  const TuneSummary first = TuneNow();
  EXPECT_TRUE(planned_);
  options_.constraints = {.min_sqnr_db = 20};
  options_.output = folder_ / "out";
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  EXPECT_THAT(answer.search.stop_reason, StartsWith("answered from the front of "));
  EXPECT_EQ(answer.search.measured, 0U);
  EXPECT_EQ(answer.search.known, first.search.measured);
  ASSERT_EQ(answer.front.points.size(), first.front.points.size());
  for (std::size_t i = 0; i < first.front.points.size(); ++i) {
    EXPECT_EQ(answer.front.points[i].trial.plan_digest, first.front.points[i].trial.plan_digest);
    EXPECT_EQ(answer.front.points[i].heldout->metrics, first.front.points[i].heldout->metrics);
  }
  EXPECT_EQ(answer.reference.arena_bytes, first.reference.arena_bytes);
  EXPECT_EQ(answer.reference.top1, first.reference.top1);
  EXPECT_EQ(answer.reference.heldout_top1(), first.reference.heldout_top1());
  ASSERT_TRUE(answer.front.chosen);
  EXPECT_TRUE(answer.front.chosen_point().certificate->holds());
  EXPECT_FALSE(ReadFile(folder_ / "out/front.json").empty());
  EXPECT_FALSE(ReadFile(folder_ / "out/point_1/arguments.txt").empty());
}

// A clock by which a float32 run takes 20 ms, so that the budget has room for a few samples; behind
// that nothing takes any time.
TEST_F(AnswerFromBankTest, TheSameCommandInTimeRunsNothing) {
  options_.budget.time = std::chrono::seconds(4);
  options_.quantize.mode = QuantizeMode::kOn;
  options_.operator_tuning = OperatorTuningMode::kProfile;
  int measured = 0;  // calls of progress, each of something that runs
  std::shared_ptr<TimeBudget> time;
  const auto tune = [&] {
    measured = 0;
    time = std::make_shared<TimeBudget>(std::nullopt, [now_s = 0.0, reads = 0]() mutable {
      return now_s += reads++ < 20 ? 0.02 : 1e-7;
    });
    return Tune(model_, options_,
                {.on_progress = [&](const TunerProgress&) { ++measured; },
                 .on_operators = [&](const OperatorTunerProgress&) { ++measured; },
                 .on_probes = [&](const ProbeProgress&) { ++measured; },
                 .time = time});
  };
  const TuneSummary first = tune();
  ASSERT_GT(time->run_s(), 0);
  ASSERT_GT(measured, 0);
  ASSERT_LT(first.run.sample_count, 60) << "the budget has no room for all";
  const TuneSummary answer = tune();
  EXPECT_EQ(time->run_s(), 0) << "no float32 run either";
  EXPECT_EQ(measured, 0);
  EXPECT_THAT(answer.search.stop_reason, StartsWith("answered from the front of "));
  EXPECT_EQ(answer.run.sample_count, first.run.sample_count);
  EXPECT_EQ(answer.run.heldout_count, first.run.heldout_count);
  EXPECT_THAT(answer.warnings, ::testing::Contains(HasSubstr("of the search are used")));
  ASSERT_EQ(answer.front.points.size(), first.front.points.size());
  // Another budget may leave other samples.
  options_.budget.time = std::chrono::seconds(8);
  tune();
  EXPECT_GT(time->run_s(), 0);
}

TEST_F(AnswerFromBankTest, TheAnswerIsThatOfASearchWithTheGoal) {
  TuneNow();
  options_.constraints = {.min_sqnr_db = 45};
  const TuneSummary answer = TuneNow();
  options_.search_again = true;
  const TuneSummary search = TuneNow();
  EXPECT_TRUE(planned_);
  EXPECT_EQ(search.search.measured, 0U) << "every plan is known";
  ASSERT_EQ(answer.front.chosen.has_value(), search.front.chosen.has_value());
  if (answer.front.chosen) {
    EXPECT_EQ(answer.front.chosen_point().trial.plan_digest,
              search.front.chosen_point().trial.plan_digest);
    EXPECT_EQ(answer.front.chosen_point().certificate, search.front.chosen_point().certificate);
  }
}

// Bounds that few operators may lose anything under: the probes said why the others cannot.
TEST_F(AnswerFromBankTest, TheCausesOfKeptOperatorsAreThoseOfTheProbes) {
  options_.max_trials = 30;
  options_.constraints = {.min_sqnr_db = 90};
  const TuneSummary first = TuneNow();
  ASSERT_TRUE(first.insight.probes.has_value()) << "30 trials are more than the global plans";
  ASSERT_FALSE(first.insight.kept.empty());
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  EXPECT_EQ(answer.insight.kept, first.insight.kept);
}

TEST_F(AnswerFromBankTest, AGoalThatNothingMeetsIsAnsweredToo) {
  TuneNow();
  options_.constraints = {.max_latency_ratio = 0.001};
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  EXPECT_FALSE(answer.front.chosen);
  EXPECT_FALSE(answer.front.nearest.empty());
}

TEST_F(AnswerFromBankTest, VerifyMeasuresTheChosenPoint) {
  options_.heldout_share = 0;
  TuneNow();
  options_.verify = true;
  options_.constraints = {.min_sqnr_db = 20};
  const TuneSummary verified = TuneNow();
  EXPECT_EQ(std::ranges::count_if(verified.warnings,
                                  [](const std::string& warning) {
                                    return warning.find("--heldout_share") != std::string::npos;
                                  }),
            1);
  EXPECT_FALSE(planned_);
  EXPECT_EQ(verified.search.measured, 1U);
  EXPECT_THAT(verified.search.stop_reason,
              HasSubstr("answered from the knowledge base and verified: "));
}

TEST_F(AnswerFromBankTest, AFrontByAnotherLossIsAnsweredWithIt) {
  TuneNow();
  options_.measure.metric.metric = "top1";
  const TuneSummary first = TuneNow();
  EXPECT_TRUE(planned_) << "it was searched by the default loss";
  options_.constraints = {.max_latency_ratio = 2};
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  EXPECT_EQ(answer.reference.metric, first.reference.metric);
  ASSERT_GE(answer.front.points.size(),
            first.front.points.size());  // ties that the table leaves out are kept
  for (const FrontPoint& point : first.front.points) {
    const auto same = std::ranges::find_if(answer.front.points, [&](const FrontPoint& other) {
      return other.trial.plan_digest == point.trial.plan_digest;
    });
    ASSERT_NE(same, answer.front.points.end());
    EXPECT_EQ(same->measurement().accuracy.loss, point.measurement().accuracy.loss);
  }
  options_.verify = true;
  const TuneSummary verified = TuneNow();
  EXPECT_FALSE(planned_);
  ASSERT_TRUE(verified.front.chosen);
  EXPECT_TRUE(verified.front.chosen_point().measurement().accuracy.loss.has_value());
}

// Each loss has its own front; neither search makes the other one search again.
TEST_F(AnswerFromBankTest, SearchesByTwoLossesAreBothAnswered) {
  const TuneSummary first = TuneNow();
  options_.measure.metric.metric = "top1_agreement";
  TuneNow();
  options_.measure.metric = {};
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  EXPECT_FALSE(answer.reference.metric);
  EXPECT_EQ(answer.front.points.size(), first.front.points.size());
}

// Values of a program of the user's, of the search and of the held-out samples.
TEST_F(AnswerFromBankTest, AFrontByTheUsersMetricIsAnsweredWithoutTheProgram) {
  std::filesystem::create_directories(folder_);
  const auto program = folder_ / "score.sh";
  WriteFileAtomically(program, "#!/bin/sh\necho 0.5\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  options_.measure.metric = {.metric = "command:" + program.string(), .better = "higher"};
  const TuneSummary first = TuneNow();
  EXPECT_TRUE(planned_);
  std::filesystem::remove(program);
  const TuneSummary answer = TuneNow();
  EXPECT_FALSE(planned_);
  ASSERT_TRUE(answer.reference.metric);
  EXPECT_EQ(answer.reference.metric, first.reference.metric);
  EXPECT_EQ(answer.reference.metric->heldout_reference, 0.5);
  ASSERT_FALSE(answer.front.points.empty());
  EXPECT_EQ(answer.front.points[0].measurement().accuracy.loss, -0.5);
}

// What was measured anew is what counts, and retune says nothing of other goals.
TEST_F(AnswerFromBankTest, AFrontOfNoSearchHidesOlderOnes) {
  TuneNow();
  {
    const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadWrite);
    StoredFront front = store->Fronts(store->Workloads().at(0).key).at(0);
    front.provenance.erase("search");
    store->AddFront(front);
  }
  TuneNow();
  EXPECT_TRUE(planned_);
}

TEST_F(AnswerFromBankTest, AnotherSearchIsNotAnswered) {
  TuneNow();
  options_.max_trials = 9;
  TuneNow();
  EXPECT_TRUE(planned_) << "more trials were asked for";
  options_.heldout_share = 0.5;
  TuneNow();
  EXPECT_TRUE(planned_) << "other samples are held out";
}

// The front of a search whose time was over is what there is of it; with more time it goes on.
TEST_F(AnswerFromBankTest, ASearchThatTimeEndedIsAnsweredWithinThatTime) {
  TuneNow();
  {
    const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadWrite);
    StoredFront front = store->Fronts(store->Workloads().at(0).key).at(0);
    front.provenance["search_ended_by_s"] = "600";
    store->AddFront(front);
  }
  options_.budget.time = std::chrono::minutes(10);
  options_.constraints = {.min_sqnr_db = 20};
  EXPECT_THAT(TuneNow().search.stop_reason,
              HasSubstr(", whose search ended with its 600 s, nothing was "
                        "run; --verify measures the chosen point, "
                        "--search_again goes on with it"));
  EXPECT_FALSE(planned_);
  options_.budget.time = std::chrono::minutes(11);
  TuneNow();
  EXPECT_TRUE(planned_);
}

TEST_F(AnswerFromBankTest, TheLimitOfTimeIsKeptWithTheFrontThatItEnded) {
  TuneSummary summary;
  options_.budget.time = std::chrono::minutes(10);
  options_.time_limit = std::chrono::seconds(90);
  const auto facts = [&](SearchEnd end) {
    summary.search.end = end;
    return AnswerFacts(options_, {}, {}, summary);
  };
  EXPECT_EQ(facts(SearchEnd::kTime).at("search_ended_by_s"), "90");
  EXPECT_FALSE(facts(SearchEnd::kDone).contains("search_ended_by_s"));
  EXPECT_TRUE(facts(SearchEnd::kUser).empty());
}

TEST_F(AnswerFromBankTest, AnInterruptedSearchIsNoAnswer) {
  int asked = 0;
  Tune(model_, options_, {.stop_requested = [&] { return ++asked > 4; }});
  TuneNow();
  EXPECT_TRUE(planned_);
}

}  // namespace
}  // namespace halftone
