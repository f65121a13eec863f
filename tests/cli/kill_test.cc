// kill -9 in the middle of a search: nothing that was committed is lost, and the same command goes
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "src/base/file.h"
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
  const std::vector<std::pair<std::string, std::string>> environment = {{"TUNE_BANK_PATH", ""}};
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

}  // namespace
}  // namespace halftone
