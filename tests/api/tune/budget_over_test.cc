// Budgets that are over before a plan can run, by planted clocks: what is said, and what still
// answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "knowledge_base/sqlite_store.h"
#include "src/api/halftone.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class BudgetOverTest : public ::testing::Test {
 protected:
  BudgetOverTest() {
    std::filesystem::remove_all(folder_);
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 8};
    options_.max_trials = 4;
    options_.strategy = "greedy";
    options_.confidence.reset();
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.004};
    options_.bank = folder_ / "bank";
    options_.output = folder_ / "out";
    options_.exports = {};
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
    callbacks_.on_probes = [](const ProbeProgress& progress) { ADD_FAILURE() << progress.stage; };
    callbacks_.on_progress = [](const TunerProgress& /*now*/) { ADD_FAILURE() << "a plan"; };
  }

  ~BudgetOverTest() override { std::filesystem::remove_all(folder_); }

  // `loading_s`: until the network is read; `run_s`: of each reading of the clock while float32 is
  // timed.
  TuneSummary TuneIn(double limit_s, double loading_s, double run_s = 0) {
    now_s_ = 0;
    const TimeBudget* asked = nullptr;
    const auto time = std::make_shared<TimeBudget>(std::nullopt, [&] {
      if (asked != nullptr && asked->phase() == BudgetPhase::kReference && asked->run_s() == 0) {
        now_s_ += run_s;
      }
      return now_s_;
    });
    asked = time.get();
    now_s_ = loading_s;
    callbacks_.time = time;
    options_.budget.time = std::chrono::duration<double>(limit_s);
    return Tune(model_, options_, callbacks_);
  }

  void ExpectNothing(const TuneSummary& summary) {
    EXPECT_EQ(summary.outcome.end, RunEnd::kNothingSearched);
    EXPECT_EQ(summary.outcome.verdict.kind, VerdictKind::kNotSearched);
    EXPECT_THAT(summary.front.points, IsEmpty());
    EXPECT_THAT(
        OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadOnly)->Workloads(),
        IsEmpty());
    EXPECT_THAT(ReadFile(options_.output / "front.json"), HasSubstr("\"nothing_searched\""));
    EXPECT_THAT(FormatConsole(summary, {}), HasSubstr(summary.outcome.verdict.sentence));
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_budget_over_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  TuneCallbacks callbacks_;
  Model model_;
  double now_s_ = 0;
};

TEST_F(BudgetOverTest, LoadingThatTakesLongerSaysSoAndNothingRuns) {
  const TuneSummary summary = TuneIn(5, 6.5);
  EXPECT_EQ(
      summary.outcome.verdict.sentence,
      "Nothing could be searched in 5 s: reading the network and its samples took 6.50 s; give "
      "more time.");
  ExpectNothing(summary);
}

// Nothing else says what the network costs: one run of float32 is never refused.
TEST_F(BudgetOverTest, ARunThatTakesLongerIsTheOnlyOne) {
  const TuneSummary summary = TuneIn(30, 1, 20);
  EXPECT_THAT(
      summary.outcome.verdict.sentence,
      MatchesRegex("Nothing could be searched in 30 s: a float32 run takes 20.0 s here, and a "
                   "plan [0-9]+ runs or [0-9]+ s; 10 plans need about "
                   "--budget=[0-9]+min, or fewer samples."));
  ExpectNothing(summary);
}

// Time is over behind the plan of float32: the same command searches in its turn.
TEST_F(BudgetOverTest, AFrontOfFloat32AloneIsNoAnswer) {
  callbacks_.on_probes = {};
  callbacks_.on_progress = [&](const TunerProgress& now) { now_s_ += now.measured > 0 ? 1000 : 0; };
  const TuneSummary first = TuneIn(600, 0);
  EXPECT_EQ(first.outcome.end, RunEnd::kNothingSearched);
  EXPECT_EQ(first.front.points.size(), 1U);
  callbacks_.on_progress = {};
  const TuneSummary second = TuneIn(600, 0);
  EXPECT_EQ(second.outcome.end, RunEnd::kDone);
  EXPECT_EQ(second.search.known, 1U);
  EXPECT_GT(second.search.measured, 0U);
}

// What is known takes no time.
TEST_F(BudgetOverTest, TheBankAnswersAllTheSame) {
  callbacks_.on_probes = {};
  callbacks_.on_progress = {};
  const TuneSummary first = TuneIn(600, 0);
  ASSERT_FALSE(first.front.points.empty());
  callbacks_.on_probes = [](const ProbeProgress& progress) { ADD_FAILURE() << progress.stage; };
  callbacks_.on_progress = [](const TunerProgress& /*now*/) { ADD_FAILURE() << "a plan"; };
  const TuneSummary second = TuneIn(5, 6);
  EXPECT_EQ(second.outcome.end, RunEnd::kDone);
  EXPECT_EQ(second.search.measured, 0U);
  ASSERT_EQ(second.front.points.size(), first.front.points.size());
  EXPECT_EQ(second.front.points[0].trial.plan_digest, first.front.points[0].trial.plan_digest);
}

}  // namespace
}  // namespace halftone
