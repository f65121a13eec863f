// --npu_config with a training script in Python: its options are those of explain, run and tune.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::testing::HasSubstr;

class NpuConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    WriteFileAtomically(folder_ / "train.py",
                        "npu_config=NPURunConfig( model_dir=FLAGS.model_dir,\n"
                        "  session_config=tf.ConfigProto(allow_soft_placement=True),\n"
                        "  precision_mode=\"allow_mix_precision\" )\n");
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / "npu_config_test";
  const std::string model_ = "--model=" + Digits("model.onnx");
  const std::string script_ = "--npu_config=" + (folder_ / "train.py").string();
};

TEST_F(NpuConfigTest, ExplainReadsTheScript) {
  const auto script = Halftone({"explain", model_, script_});
  EXPECT_EQ(script.exit_code, 0) << script.err;
  EXPECT_EQ(script.out, Halftone({"explain", model_, "--precision_mode=allow_mix_precision"}).out);
}

TEST_F(NpuConfigTest, RunRunsItsPlan) {
  const std::vector<std::string> run = {"run", model_, "--max_samples=1", "--no_latency"};
  std::vector<std::string> by_script = run;
  by_script.push_back(script_);
  std::vector<std::string> typed = run;
  typed.insert(typed.end(), {"--precision_mode=allow_mix_precision", "--graph_run_mode=1"});
  const auto result = Halftone(by_script);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, Halftone(typed).out);
  EXPECT_THAT(result.err, HasSubstr("without a loss_scale_manager"));
}

TEST_F(NpuConfigTest, TuneStartsFromIt) {
  const auto result = Halftone({"tune", model_, script_, "--max_trials=1", "--max_samples=2",
                                "--no_bank", "--operator_tuning=off", "--export=none"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("allow_mix_precision, graph_run_mode=1"));
}

TEST_F(NpuConfigTest, TuneNeedsAMode) {
  WriteFileAtomically(folder_ / "train.py", "NPURunConfig(model_dir='x')\n");
  const auto result = Halftone({"tune", model_, script_, "--max_trials=1", "--no_bank"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("expected a precision_mode or precision_mode_v2 to start the "
                                    "search from, found none"));
}

TEST_F(NpuConfigTest, RunTakesNoOtherConfigurationBesideIt) {
  for (const std::string other : {"--point=x", "--from_bank", "--select=fastest"}) {
    const auto result = Halftone({"run", model_, script_, other});
    EXPECT_EQ(result.exit_code, 2) << other;
    EXPECT_THAT(result.err, HasSubstr("exclude each other")) << other;
  }
}

}  // namespace
}  // namespace halftone
