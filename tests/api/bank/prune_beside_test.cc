// `bank prune` at any moment of a run that uses the bank: the run ends as it would have, and what
// it leaves is a bank that verifies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "knowledge_base/prune_bank.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/api/halftone.h"
#include "src/api/retune/retune.h"
#include "src/base/error.h"
#include "tests/support/between_statements.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BetweenStatements;
using ::testing::IsEmpty;
using testing::SourceDir;

class PruneBesideTest : public ::testing::Test {
 protected:
  PruneBesideTest() {
    fs::remove_all(folder_);
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 5};
    options_.max_trials = 3;
    options_.operator_tuning = OperatorTuningMode::kOff;
    options_.measure = {.threads = 1, .quick_budget_s = 0.002, .full_budget_s = 0.004};
    options_.strategy = "greedy";
    options_.bank = folder_ / "bank";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  ~PruneBesideTest() override { fs::remove_all(folder_); }

  // All workloads, without waiting for a clock to tell that they are old.
  void PruneAll() { Prune({.before = "9999-12-31T23:59:59.999Z", .shrink = false}); }

  void Prune(const PruneOptions& options) {
    if (fs::exists(database_)) {
      try {
        removed_ += PruneBank(database_, options).nothing() ? 0 : 1;
      } catch (const Error& error) {
        // The bank is being made.
        EXPECT_THAT(error.what(), ::testing::HasSubstr("is locked by another process"));
      }
    }
  }

  // `run` with a prune before each of its statements, then before every `stride`th alone.
  void ExpectToSurvive(const std::function<void()>& run, int stride) {
    int moments = 0;
    {
      BetweenStatements between([&] { PruneAll(); });
      EXPECT_NO_THROW(run()) << "pruned all the time";
      moments = between.moments();
    }
    EXPECT_GE(removed_, 3) << "each trial that was stored brought the workload back";
    EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
    for (int chosen = 1; chosen <= moments; chosen += stride) {
      fs::remove_all(folder_);
      int moment = 0;
      BetweenStatements between([&] {
        if (++moment == chosen) {
          PruneAll();
        }
      });
      try {
        run();
      } catch (const Error& error) {
        ADD_FAILURE() << "pruned at moment " << chosen << " of " << moments << ": " << error.what();
      }
    }
    EXPECT_THAT(VerifyBank(database_).findings, IsEmpty());
  }

  std::vector<StoredFront> Fronts() {
    const auto store = OpenSqliteStore(database_, OpenMode::kReadOnly);
    const auto workloads = store->Workloads();
    return workloads.empty() ? std::vector<StoredFront>() : store->Fronts(workloads.back().key);
  }

  fs::path folder_ = ::testing::TempDir() + "halftone_prune_beside_test_" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path database_ = DatabasePath(folder_ / "bank", "host");
  TuneOptions options_;
  Model model_;
  int removed_ = 0;  // prunes that found something
};

// "workload ... is not in the knowledge base", and a search of hours was lost.
TEST_F(PruneBesideTest, ASearchIsNotEndedByPruning) {
  ExpectToSurvive([&] { Tune(model_, options_); }, 5);
}

}  // namespace
}  // namespace halftone
