// `bank prune --older_than=0` ended searches that ran beside it: "workload ... is not in the
// knowledge base".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;

struct Search {
  const char* name;
  std::vector<std::string> arguments;
};

const Search kSearches[] = {
    {"Tune", {"tune", "--operator_tuning=off"}},
    {"TuneRandomly", {"tune", "--operator_tuning=off", "--strategy=random"}},
    {"Aoe", {"aoe", "--job_type=1"}},
};

class PruneBesideTest : public ::testing::TestWithParam<Search> {
 protected:
  PruneBesideTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bank");
  }

  ~PruneBesideTest() override { fs::remove_all(folder_); }

  fs::path folder_ = ::testing::TempDir() + "halftone_cli_prune_beside_test";
  std::string bank_ = "--op_bank_path=" + (folder_ / "bank").string();
};

TEST_P(PruneBesideTest, ASearchEndsAsItWouldHave) {
  std::vector<std::string> arguments = {HALFTONE_BINARY};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  for (const std::string& argument :
       {"--model=" + Digits("model.onnx"), "--inputs=" + Digits("search_inputs.npy"),
        std::string("--max_samples=5"), std::string("--threads=1"), std::string("--max_trials=40"),
        "--output=" + (folder_ / "out").string()}) {
    arguments.push_back(argument);
  }
  ProcessResult result;
  std::atomic<bool> done = false;
  std::jthread search([&] {
    // AOE knows no other way to name its bank.
    result = RunProcess(arguments, {{"TUNE_BANK_PATH", folder_ / "bank"}});
    done = true;
  });
  while (!done) {
    const ProcessResult pruned = Halftone({"bank", "prune", "--older_than=0", bank_});
    // Before the search has made its bank there is none.
    EXPECT_THAT(pruned.exit_code, ::testing::AnyOf(0, 1)) << pruned.err;
  }
  search.join();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ProcessResult verified = Halftone({"bank", "verify", bank_});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

INSTANTIATE_TEST_SUITE_P(Table, PruneBesideTest, ::testing::ValuesIn(kSearches),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
