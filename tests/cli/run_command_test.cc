// `halftone run`: what is printed when, options that exclude each other, samples of several shapes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/accuracy/tensor_file.h"
#include "src/base/file.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/image_samples.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ModelWriter;
using ::halftone::testing::ProcessResult;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> OnDigits(std::vector<std::string> more) {
  std::vector<std::string> words = {"run", "--model=" + Digits("model.onnx"),
                                    "--inputs=" + Digits("search_inputs.npy"), "--max_samples=4",
                                    "--threads=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(RunCommandTest, AccuracyStandsBeforeLatency) {
  const ProcessResult result = Halftone(OnDigits({}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t samples = result.out.find("4 samples; ");
  const std::size_t speed_up = result.out.find("speed-up ");
  ASSERT_NE(samples, std::string::npos) << result.out;
  ASSERT_NE(speed_up, std::string::npos) << result.out;
  EXPECT_LT(samples, speed_up);
}

TEST(RunCommandTest, NoLatencyLeavesItOut) {
  const ProcessResult result = Halftone(OnDigits({"--no_latency"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sqnr_db"));
  EXPECT_THAT(result.out, Not(HasSubstr("speed-up")));
}

TEST(RunCommandTest, LimitsAreOfAMeasurement) {
  for (const auto& [word, message] :
       {std::pair("--budget=120",
                  "--budget=120: expected a time such as 90s, 10min or 2h, as run "
                  "measures one plan"),
        std::pair("--budget=soon", "--budget")}) {
    const ProcessResult result = Halftone(OnDigits({word}));
    EXPECT_EQ(result.exit_code, 2) << word;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  const ProcessResult profile = Halftone(OnDigits({"--profile", "--budget=90s"}));
  EXPECT_EQ(profile.exit_code, 2);
  EXPECT_THAT(profile.err, HasSubstr("--budget is of a measurement of accuracy and latency, which "
                                     "--profile is not; leave one of them out"));
}

// A budget that is spent before the first sample still runs it.
TEST(RunCommandTest, ABudgetEndsTheRunWithWhatIsKnown) {
  const ProcessResult result = Halftone(OnDigits({"--budget=0.000001s"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 of 4 samples; "));
  EXPECT_THAT(result.out, HasSubstr("latency: not measured, "));
  EXPECT_THAT(result.err, HasSubstr("accuracy is that of 1 of 4 samples, for which "
                                    "--budget=0.000001s has time"));
}

class ShapesOfSamplesTest : public ::testing::Test {
 protected:
  ShapesOfSamplesTest() {
    ModelWriter writer;
    writer.Input("x", {1, -1});
    writer.Node("Tanh", "tanh", {"x"}, {"y"});
    writer.Output("y");
    path_ = writer.Save();
    for (int i = 0; i < 12; ++i) {
      testing::WriteImageSample(path_.parent_path(), i, {1, 4 + 2 * (i % 3)});
    }
  }

  [[nodiscard]] std::vector<std::string> Words(const std::string& command) const {
    return {command, "--model=" + path_.string(), "--inputs=" + path_.parent_path().string(),
            "--threads=1"};
  }

  std::filesystem::path path_;
};

TEST_F(ShapesOfSamplesTest, RunUsesThemAllAsTuneDoes) {
  std::vector<std::string> words = Words("run");
  words.emplace_back("--no_latency");
  const ProcessResult result = Halftone(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const int width : {4, 6, 8}) {
    EXPECT_THAT(result.out, HasSubstr(fmt::format("input shape x:1,{}\n", width)));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("12 samples")));
  EXPECT_THAT(result.err, HasSubstr("note: the samples have 3 input shapes, at each of which it is "
                                    "run: 'x:1,4', 'x:1,6', 'x:1,8'"));
  EXPECT_THAT(result.err, Not(HasSubstr("left out")));
}

TEST_F(ShapesOfSamplesTest, ProfilesAndOutputsAreOfAllOfThem) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--profile"},
        std::vector<std::string>{"--save=" + (path_.parent_path() / "saved").string(),
                                 "--no_latency"}}) {
    std::vector<std::string> words = Words("run");
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = Halftone(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("left out"))) << more.front();
    for (const int width : {4, 6, 8}) {
      EXPECT_THAT(result.out, HasSubstr(fmt::format("input shape x:1,{}\n", width)))
          << more.front();
    }
  }
}

// Commands that read samples take the formats that have a header only where the shape is given.
TEST(SampleFormatsOfCommandsTest, RawFilesOfFreeShapes) {
  ModelWriter writer;
  writer.Input("x", {-1, -1});
  writer.Floats("w", {4, 4}, std::vector<float>(16, 0.5F));
  writer.Node("MatMul", "product", {"x", "w"}, {"y"});
  writer.Output("y");
  const std::filesystem::path path = writer.Save();
  const std::filesystem::path file = path.parent_path() / "x.bin";
  const std::vector<float> values(40, 0.25F);
  WriteFileAtomically(file, std::string(reinterpret_cast<const char*>(values.data()), 160));
  const std::string model = "--model=" + path.string();
  const std::string shape = "--input_shape=x:1,4";
  const std::string inputs = "--inputs=" + file.string();
  const std::vector<std::vector<std::string>> commands = {
      {"run", model, inputs, "--no_latency", "--threads=1"},
      {"run", model, inputs, "--profile", "--threads=1"},
      {"tune", model, inputs, "--no_bank", "--max_trials=2", "--operator_tuning=off",
       "--threads=1"},
      {"explain", model, "--calibration_inputs=" + file.string(), "--tensors"},
  };
  for (std::vector<std::string> words : commands) {
    const ProcessResult without = Halftone(words);
    EXPECT_EQ(without.exit_code, 2) << words.front() << without.err;
    EXPECT_THAT(without.err,
                HasSubstr("x.bin' has no header, and the model leaves the shape "
                          "free0,free1 of input 'x' open: give that of one sample, for "
                          "example --input_shape=\"x:1,40\""));
    words.push_back(shape);
    const ProcessResult with = Halftone(words);
    EXPECT_EQ(with.exit_code, 0) << words.front() << with.err;
  }
}

}  // namespace
}  // namespace halftone
