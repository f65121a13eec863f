// Several `halftone tune` on one bank at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/file.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;

TEST(TuneProcessesTest, EightTuneIntoOneBankAtOnceAndNoneIsLost) {
  constexpr std::size_t kProcesses = 8;
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_tune_processes_test";
  std::filesystem::remove_all(folder);
  const std::filesystem::path digits = SourceDir() / "examples/digits";
  std::vector<ProcessResult> results(kProcesses);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    threads.emplace_back([&, i] {
      results[i] = RunProcess(
          {HALFTONE_BINARY, "tune", "--model=" + (digits / "model.onnx").string(),
           "--inputs=" + (digits / "search_inputs.npy").string(), "--max_samples=5",
           "--max_trials=8", "--threads=1", "--strategy=random", "--seed=" + std::to_string(i + 1),
           // Eight at once would choose other kernels each, and so measure other workloads.
           "--operator_tuning=off", "--op_bank_path=" + (folder / "bank").string(),
           "--output=" + (folder / std::to_string(i)).string()},
          {{"TUNE_BANK_PATH", ""}});
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const auto database = DatabasePath(folder / "bank", "host");
  const auto store = OpenSqliteStore(database, OpenMode::kReadOnly);
  ASSERT_EQ(store->Workloads().size(), 1U);
  const Hash128 key = store->Workloads()[0].key;
  const std::vector<StoredTrial> history = store->History(key);
  EXPECT_EQ(store->Fronts(key).size(), kProcesses);
  std::size_t measured = 0;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    ASSERT_TRUE(results[i].exit_code == 0 || results[i].exit_code == 3) << results[i].err;
    const auto front = nlohmann::json::parse(ReadFile(folder / std::to_string(i) / "front.json"));
    measured += front["search"]["measured"].get<std::size_t>();
    for (const auto& point : front["front"]) {
      const bool stored =
          std::any_of(history.begin(), history.end(), [&](const StoredTrial& trial) {
            return trial.trial.plan_digest.ToHex() == point["plan_digest"] &&
                   trial.trial.measurement() != nullptr &&
                   trial.trial.measurement()->latency.ratio == point["latency_ratio"];
          });
      EXPECT_TRUE(stored) << "point of process " << i << ": " << point["plan_digest"];
    }
  }
  const auto searched = std::count_if(history.begin(), history.end(), [](const StoredTrial& trial) {
    return trial.trial.measurement() == nullptr || !trial.trial.measurement()->confirmed;
  });
  EXPECT_GE(static_cast<std::size_t>(searched), measured);
  EXPECT_GE(measured, kProcesses);
  EXPECT_TRUE(VerifyBank(database).findings.empty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halftone
