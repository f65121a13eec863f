// --input_shape given several times, and the options of ATC that fill its -1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::SourceDir;
using ::testing::HasSubstr;

ProcessResult Halftone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALFTONE_BINARY);
  arguments.push_back("--model=" + (SourceDir() / "examples/digits/model.onnx").string());
  return RunProcess(arguments, {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}});
}

TEST(InputShapesTest, RunGivesAccuracyAndLatencyOfEach) {
  const ProcessResult result = Halftone(
      {"run", "--input_shape=pixels:-1,1,8,8", "--dynamic_batch_size=1,2", "--max_samples=2",
       "--threads=1", "--inputs=" + (SourceDir() / "examples/digits/search_inputs.npy").string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("input shape pixels:1,1,8,8\nconfiguration: force_fp16; the "
                                    "mode is the default\nsqnr_db "));
  EXPECT_THAT(result.out, HasSubstr("\n\ninput shape pixels:2,1,8,8\nconfiguration: force_fp16; "));
}

TEST(InputShapesTest, TuneSearchesForAllOfThem) {
  const ProcessResult result = Halftone(
      {"tune", "--no_bank", "--input_shape=pixels:-1,1,8,8", "--dynamic_batch_size=1,4",
       "--shape_weights=9,1", "--max_samples=8", "--max_trials=3", "--operator_tuning=off",
       "--threads=1", "--inputs=" + (SourceDir() / "examples/digits/search_inputs.npy").string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("By input shape, at the chosen point:\ninput shape "));
  EXPECT_THAT(result.out, HasSubstr("\npixels:1,1,8,8  90.0 %  "));
  EXPECT_THAT(result.out, HasSubstr("\npixels:4,1,8,8  10.0 %  "));
}

// A point of several shapes is run, and measured again, at all of them.
TEST(InputShapesTest, APointOfSeveralShapesRunsAtThem) {
  const std::filesystem::path folder = ::testing::TempDir() + "halftone_point_of_shapes";
  std::filesystem::remove_all(folder);
  const std::string inputs =
      "--inputs=" + (SourceDir() / "examples/digits/search_inputs.npy").string();
  const ProcessResult tuned =
      Halftone({"tune", "--no_bank", "--input_shape=pixels:-1,1,8,8", "--dynamic_batch_size=1,4",
                "--max_samples=8", "--max_trials=3", "--operator_tuning=off", "--threads=1", inputs,
                "--output=" + folder.string()});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const std::string point = "--point=" + (folder / "point_1").string();
  const ProcessResult run = Halftone({"run", point, "--max_samples=8", "--threads=1", inputs});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("measured by tune at "));
  EXPECT_THAT(run.out, HasSubstr("input shape pixels:4,1,8,8\n"));
  for (const std::string& shipped : {"--front=" + (folder / "front.json").string(), point}) {
    std::vector<std::string> words = {"retune",          shipped,       "--no_bank", "--no_search",
                                      "--max_samples=8", "--threads=1", inputs};
    if (shipped != point) {  // which names its shapes
      EXPECT_THAT(Halftone(words).err,
                  HasSubstr("found one of pixels:1,1,8,8 | pixels:4,1,8,8; give the --input_shape "
                            "of then, once for each"));
      words.emplace_back("--input_shape=pixels:1,1,8,8");
      words.emplace_back("--input_shape=pixels:4,1,8,8");
    }
    const ProcessResult retuned = Halftone(words);
    EXPECT_THAT(retuned.exit_code, ::testing::AnyOf(0, 3, 5)) << retuned.err;
    EXPECT_THAT(retuned.err, ::testing::Not(HasSubstr("error")));
  }
  std::filesystem::remove_all(folder);
}

TEST(InputShapesTest, ExplainSaysWhatTheOthersHave) {
  const ProcessResult result =
      Halftone({"explain", "--input_shape=pixels:1,1,8,8", "--input_shape=pixels:2,1,8,8"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("note: input shape 'pixels:2,1,8,8': every node as at 'pixels:1,1,8,8'\n"));
}

struct ErrorCase {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class InputShapesErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(InputShapesErrorTest, IsOneSentence) {
  const ProcessResult result = Halftone(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
}

const ErrorCase kErrors[] = {
    {"Weights",
     {"tune", "--no_bank", "--input_shape=pixels:1,1,8,8", "--input_shape=pixels:2,1,8,8",
      "--shape_weights=1,2,3"},
     "--shape_weights=1,2,3: expected a number above 0 for each input shape, which are 2: "
     "pixels:1,1,8,8 | pixels:2,1,8,8"},
    {"NothingFillsIt",
     {"explain", "--input_shape=pixels:-1,1,8,8"},
     "E10001: --input_shape=\"pixels:-1,1,8,8\": nothing says what the -1 of input 'pixels' is"},
    {"TheSameTwice",
     {"run", "--input_shape=pixels:1,1,8,8", "--input_shape=pixels:1, 1,8,8"},
     "are the same shapes, 'pixels:1,1,8,8'; leave one of them out"},
};
INSTANTIATE_TEST_SUITE_P(Table, InputShapesErrorTest, ::testing::ValuesIn(kErrors),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
