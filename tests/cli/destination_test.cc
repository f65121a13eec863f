// tune --quantize=for:TARGET on a CPU without 8-bit instructions, and what becomes of its points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::Digits;
using testing::Halftone;
using ::testing::HasSubstr;
using testing::ProcessResult;

class DestinationCommandTest : public ::testing::Test {
 protected:
  DestinationCommandTest() { fs::remove_all(folder_); }

  ~DestinationCommandTest() override { fs::remove_all(folder_); }

  // On the CPU that HALFTONE_MAX_ISA=baseline leaves.
  [[nodiscard]] ProcessResult Tune(const std::string& quantize, const std::string& bound) const {
    return testing::RunProcess(
        {HALFTONE_BINARY, "tune", "--model=" + Digits("model.onnx"),
         "--inputs=" + Digits("search_inputs.npy"),
         "--heldout_inputs=" + Digits("heldout_inputs.npy"), "--max_samples=12",
         "--confidence=none", "--no_bank", "--threads=1", "--max_trials=8",
         "--quantize=" + quantize, "--min_sqnr_db=" + bound, "--output=" + folder_.string()},
        {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}, {"HALFTONE_MAX_ISA", "baseline"}});
  }

  // Of front.json.
  [[nodiscard]] fs::path ChosenFolder() const {
    const auto json = nlohmann::json::parse(ReadFile(folder_ / "front.json"));
    for (const auto& point : json.at("front")) {
      if (point.at("chosen")) {
        return folder_ / point.at("folder").get<std::string>();
      }
    }
    return {};
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::string("halftone_destination_command_test_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(DestinationCommandTest, APointIsTheSameOnEveryCpu) {
  const ProcessResult tuned = Tune("for:tensorrt", "25");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out,
              HasSubstr("Chosen by accuracy and the cost model of TensorRT on an A100 ("));
  EXPECT_THAT(tuned.out, HasSubstr("; nothing was timed."));
  const std::string point = "--point=" + ChosenFolder().string();
  ASSERT_TRUE(fs::exists(ChosenFolder() / "model_qdq.onnx"));
  const std::string model = "--model=" + Digits("model.onnx");
  const std::string inputs = "--inputs=" + Digits("heldout_inputs.npy");
  const ProcessResult run = Halftone({"run", model, inputs, point, "--max_samples=4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("latency: predicted for tensorrt, not measured"));
  const ProcessResult again = Halftone({"retune", model, "--inputs=" + Digits("search_inputs.npy"),
                                        "--heldout_inputs=" + Digits("heldout_inputs.npy"),
                                        "--max_samples=12", point, "--no_bank", "--no_search"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  const ProcessResult exported =
      Halftone({"export", model, point, "--to=onnx-qdq:flavour=tensorrt", "--strict",
                "--output=" + (folder_ / "again.onnx").string()});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(ReadFile(folder_ / "again.onnx"), ReadFile(ChosenFolder() / "model_qdq.onnx"));
  const ProcessResult file =
      Halftone({"run", "--model=" + (ChosenFolder() / "model_qdq.onnx").string(), inputs,
                "--max_samples=4", "--no_latency"});
  EXPECT_EQ(file.exit_code, 0) << file.err;
}

TEST_F(DestinationCommandTest, ExitCodes) {
  const ProcessResult none = Tune("for:ort", "300");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.out, HasSubstr("No configuration meets an SQNR of at least 300 dB."));
  const ProcessResult unknown = Tune("for:openvin", "20");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("error: --quantize=for:openvin: expected a runtime"));
  EXPECT_THAT(unknown.err, HasSubstr("; close: openvino"));
}

}  // namespace
}  // namespace halftone
