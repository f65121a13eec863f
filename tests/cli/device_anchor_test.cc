// Latencies for a device without float32 products: compared with, and named after, the most precise
// plan that it has.
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
using ::testing::Not;
using testing::ProcessResult;

ProcessResult On(const std::string& device, std::vector<std::string> words) {
  words.push_back("--model=" + Digits("model.onnx"));
  words.push_back("--inputs=" + Digits("search_inputs.npy"));
  words.insert(words.end(), {"--soc_version=" + device, "--max_samples=8", "--threads=1"});
  return Halftone(words);
}

TEST(DeviceAnchorTest, RunNamesIt) {
  const ProcessResult exact = On("Ascend310P3", {"run", "--precision_mode=force_fp32"});
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_THAT(exact.out, HasSubstr("speed-up 1.000x (predicted) over force_fp32; "));
  const ProcessResult low = On("Ascend310P3", {"run", "--precision_mode=force_fp16"});
  EXPECT_THAT(low.out, HasSubstr(" over force_fp32; "));
}

TEST(DeviceAnchorTest, FloatsOfADeviceThatHasThemStay) {
  const ProcessResult result = On("Ascend910B1", {"run", "--precision_mode=force_fp16"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" over fp32; "));
}

TEST(DeviceAnchorTest, ReportsNameIt) {
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_device_anchor_test";
  fs::remove_all(folder);
  const ProcessResult tuned =
      On("Ascend310P3", {"tune", "--no_bank", "--max_trials=12", "--confidence=none",
                         "--min_sqnr_db=20", "--output=" + folder.string()});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr(", force_fp32 = "));
  EXPECT_THAT(tuned.out, HasSubstr(" the speed of force_fp32 "));
  EXPECT_THAT(tuned.out, Not(HasSubstr("the speed of fp32")));
  const auto front = nlohmann::json::parse(ReadFile(folder / "front.json"));
  EXPECT_EQ(front.at("reference").at("anchor"), "force_fp32");
  const std::string report = ReadFile(folder / "report.md");
  EXPECT_THAT(report, HasSubstr("Speed-up is force_fp32 time / time of the point"));
  EXPECT_THAT(report, HasSubstr("| force_fp32 latency |"));
  EXPECT_THAT(ReadFile(folder / "report.html"), HasSubstr("speed-up over force_fp32"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
