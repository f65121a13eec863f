// A search that is stopped and run again, as a user does it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/api/halftone.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::IsEmpty;
using testing::SourceDir;

class InterruptedTuneTest : public ::testing::Test {
 protected:
  InterruptedTuneTest() {
    std::filesystem::remove_all(folder_);
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 20};
    options_.max_trials = 5;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.01};
    options_.bank = folder_;
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~InterruptedTuneTest() override { std::filesystem::remove_all(folder_); }

  // Ctrl-C as soon as `trials` are stored.
  void Interrupt(std::size_t trials) {
    std::size_t stored = 0;
    Tune(model_, options_,
         {.on_progress = [&](const TunerProgress& now) { stored = now.measured; },
          .stop_requested = [&] { return stored >= trials; }});
  }

  [[nodiscard]] std::filesystem::path database() const { return DatabasePath(folder_, "host"); }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_interrupted_tune_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TuneOptions options_;
  Model model_;
};

// 0.1.0: "front 2 names plan ..., of which there is no such trial: the file was damaged".
TEST_F(InterruptedTuneTest, TheSameCommandAgainLeavesABankThatLoads) {
  for (const std::size_t trials : {2, 3, 4}) {
    std::filesystem::remove_all(folder_);
    Interrupt(trials);
    const TuneSummary again = Tune(model_, options_);
    EXPECT_GE(again.search.known, trials);
    EXPECT_THAT(VerifyBank(database()).findings, IsEmpty()) << trials;
    ASSERT_TRUE(again.front.chosen) << trials;
    const StoredConfiguration stored = LoadStored(model_, folder_, "host", "");
    EXPECT_EQ(stored.trial.plan_digest, again.front.chosen_point().trial.plan_digest) << trials;
    EXPECT_THAT(stored.warnings, IsEmpty()) << trials;
  }
}

// What was measured before the interruption came back without its values, and was stored so.
TEST_F(InterruptedTuneTest, ConfirmedTrialsHaveTheirValuesBySample) {
  Interrupt(3);
  Tune(model_, options_);
  const auto store = OpenSqliteStore(database(), OpenMode::kReadOnly);
  std::size_t confirmed = 0;
  for (const StoredTrial& stored : store->History(store->Workloads().at(0).key)) {
    const Measurement* measurement = stored.trial.measurement();
    if (measurement != nullptr && measurement->confirmed) {
      ++confirmed;
      EXPECT_EQ(measurement->accuracy.Find("rel_l2")->values.size(), 15U)
          << "a quarter of 20 samples is held out";
    }
  }
  EXPECT_GT(confirmed, 0U);
}

}  // namespace
}  // namespace halftone
