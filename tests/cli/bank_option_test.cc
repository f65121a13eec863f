// --mdl_bank_path takes the stored configuration from where it says, whatever TUNE_BANK_PATH is;
// of --op_bank_path the environment wins, as ATC has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::Digits;
using ::testing::HasSubstr;
using testing::ProcessResult;

class BankOptionTest : public ::testing::Test {
 protected:
  BankOptionTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "other");
  }

  ~BankOptionTest() override { fs::remove_all(folder_); }

  static ProcessResult Run(std::vector<std::string> words, const std::string& tune_bank_path) {
    words.insert(words.begin(), HALFTONE_BINARY);
    words.push_back("--model=" + Digits("model.onnx"));
    return testing::RunProcess(words, {{"TUNE_BANK_PATH", tune_bank_path},
                                       {"HOME", "/nowhere"},
                                       {"HALFTONE_LATENCY_BUDGET", "0.001"}});
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "bank_option_test";
};

TEST_F(BankOptionTest, TheOptionWinsForWhatJob1Found) {
  const std::string bank = (folder_ / "bank").string();
  const std::string other = (folder_ / "other").string();
  const std::string inputs = "--inputs=" + Digits("search_inputs.npy");
  const ProcessResult tuned =
      Run({"tune", inputs, "--max_samples=2", "--max_trials=1", "--threads=1",
           "--operator_tuning=off", "--op_bank_path=" + bank},
          "");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const ProcessResult explained = Run({"explain", "--mdl_bank_path=" + bank}, other);
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.err, HasSubstr("stored configuration"));
  const ProcessResult run =
      Run({"run", inputs, "--max_samples=2", "--no_latency", "--mdl_bank_path=" + bank}, other);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const ProcessResult operators = Run({"explain", "--op_bank_path=" + bank}, other);
  EXPECT_EQ(operators.exit_code, 1) << operators.err;
  EXPECT_THAT(operators.err, HasSubstr("wins over --op_bank_path"));
}

TEST_F(BankOptionTest, BothExcludeEachOther) {
  for (const char* command : {"run", "explain"}) {
    const ProcessResult result = Run({command, "--op_bank_path=a", "--mdl_bank_path=b"}, "");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--op_bank_path and --mdl_bank_path exclude each other"));
  }
  EXPECT_THAT(Run({"run", "--mdl_bank_path=b", "--precision_mode=force_fp16"}, "").err,
              HasSubstr("--from_bank, --select and --mdl_bank_path take a stored configuration"));
}

}  // namespace
}  // namespace halftone
