// kill -9 in the middle of a search: nothing that was committed is lost, and the same command goes
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::KillProcessWhen;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;

std::size_t StoredTrials(const std::filesystem::path& bank) {
  try {
    const auto store = OpenSqliteStore(DatabasePath(bank, "host"), OpenMode::kReadOnly);
    std::size_t count = 0;
    for (const WorkloadSummary& workload : store->Workloads()) {
      count += store->Trials(workload.key).size();
    }
    return count;
  } catch (const Error&) {
    return 0;  // not there yet
  }
}

struct Goal {
  std::filesystem::path bank;
  std::size_t trials;
};

bool Reached(const void* context) {
  const auto& goal = *static_cast<const Goal*>(context);
  return StoredTrials(goal.bank) >= goal.trials;
}

TEST(KillTest, TheSameCommandContinues) {
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_kill_test";
  std::filesystem::remove_all(folder);
  const std::filesystem::path digits = SourceDir() / "examples/digits";
  const std::vector<std::string> command = {HALFTONE_BINARY,
                                            "tune",
                                            "--model=" + (digits / "model.onnx").string(),
                                            "--inputs=" + (digits / "search_inputs.npy").string(),
                                            "--max_samples=20",
                                            "--max_trials=9",
                                            "--threads=1",
                                            "--op_bank_path=" + (folder / "bank").string(),
                                            "--output=" + (folder / "out").string()};
  // Time enough between two trials to see that one is stored.
  const std::vector<std::pair<std::string, std::string>> environment = {
      {"TUNE_BANK_PATH", ""}, {"HALFTONE_LATENCY_BUDGET", "0.5"}};
  std::size_t before = 0;
  for (const std::size_t goal : {2U, 4U, 6U}) {
    const Goal reached{folder / "bank", goal};
    EXPECT_TRUE(KillProcessWhen(command, environment, Reached, &reached));
    const std::size_t after = StoredTrials(folder / "bank");
    EXPECT_GE(after, goal);
    EXPECT_GE(after, before);
    before = after;
  }
  const ProcessResult result = RunProcess(command, environment);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto front = nlohmann::json::parse(ReadFile(folder / "out/front.json"));
  EXPECT_EQ(front["search"]["known"], before);
  EXPECT_EQ(front["search"]["distinct_plans"], 9);
  EXPECT_FALSE(front["front"].empty());
  std::filesystem::remove_all(folder);
}

// Counts how often it was asked: a moment in milliseconds that needs no clock here. A trial takes
// some ten.
struct Moment {
  mutable int asked = 0;
  int last = 0;
};

bool HasCome(const void* context) {
  const auto& moment = *static_cast<const Moment*>(context);
  return ++moment.asked > moment.last;
}

// Of a whole program, from before it opens the bank to after the search: whatever a killed run left
// is what the next one starts from. sqlite_processes_test.cc has two hundred moments of writing.
TEST(KillTest, WhateverTheMomentNothingStoredIsLost) {
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_kill_moments_test";
  std::filesystem::remove_all(folder);
  const std::filesystem::path digits = SourceDir() / "examples/digits";
  const std::vector<std::string> command = {HALFTONE_BINARY,
                                            "tune",
                                            "--model=" + (digits / "model.onnx").string(),
                                            "--inputs=" + (digits / "search_inputs.npy").string(),
                                            "--max_samples=5",
                                            "--max_trials=1000000",
                                            "--strategy=random",
                                            "--operator_tuning=off",
                                            "--quantize=off",  // a calibration stores nothing
                                            "--threads=1",
                                            "--op_bank_path=" + (folder / "bank").string()};
  const std::vector<std::pair<std::string, std::string>> environment = {{"TUNE_BANK_PATH", ""}};
  Rng rng(8);
  std::size_t before = 0;
  int killed = 0;
  int repetitions = 0;  // more where the machine is so loaded that little was stored
  for (; repetitions < 40 || (before <= 5 && repetitions < 400); ++repetitions) {
    const Moment moment{.last = static_cast<int>(rng.Uniform(0, 300))};
    killed += KillProcessWhen(command, environment, HasCome, &moment) ? 1 : 0;
    const std::size_t after = StoredTrials(folder / "bank");
    EXPECT_GE(after, before) << "moment " << moment.last << " ms";
    before = after;
    if (after > 0) {
      const BankCheck check = VerifyBank(DatabasePath(folder / "bank", "host"));
      EXPECT_TRUE(check.findings.empty()) << check.findings.front();
    }
  }
  EXPECT_EQ(killed, repetitions);
  EXPECT_GT(before, 5U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halftone
