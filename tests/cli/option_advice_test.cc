// Advice of the guides on typed options: one line, once, and not with --quiet; and the newer names
// in written files.
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
using ::testing::Not;

constexpr const char* kModeAdvice =
    "note: the guide advises --precision_mode_v2=mixed_float16 in place of "
    "--precision_mode=allow_mix_precision\n";

std::vector<std::string> Explain(std::vector<std::string> more) {
  std::vector<std::string> words = {"explain", "--model=" + Digits("model.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(OptionAdviceTest, IsOneLineOfARun) {
  const auto result = Halftone(Explain({"--precision_mode=allow_mix_precision"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr(kModeAdvice));
  EXPECT_EQ(result.err.find("advises"), result.err.rfind("advises"));
  const auto quiet = Halftone(Explain({"--precision_mode=allow_mix_precision", "--quiet"}));
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, result.out);
  const auto v2 = Halftone(Explain({"--precision_mode_v2=mixed_float16"}));
  EXPECT_THAT(v2.err, Not(HasSubstr("advises")));
  EXPECT_EQ(v2.out, result.out);
}

TEST(OptionAdviceTest, NamesDeprecatedOptionsInTheSameLine) {
  const auto result =
      Halftone(Explain({"--precision_mode=force_fp16", "--op_select_implmode=high_precision",
                        "--optypelist_for_implmode=SoftmaxV2"}));
  EXPECT_THAT(result.err,
              HasSubstr("note: the guide advises --precision_mode_v2=fp16 in place of "
                        "--precision_mode=force_fp16, and --op_precision_mode=FILE in place of "
                        "--op_select_implmode, which is deprecated and for debugging only\n"));
}

TEST(OptionAdviceTest, IsGivenByRunToo) {
  EXPECT_THAT(Halftone({"run", "--model=" + Digits("model.onnx"), "--max_samples=1", "--no_latency",
                        "--precision_mode=allow_mix_precision"})
                  .err,
              HasSubstr(kModeAdvice));
}

// As the user of aoe types it: in one line, and aoe writes the name that was typed.
TEST(OptionAdviceTest, IsGivenByAoeToo) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "advice_of_aoe";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto aoe = [&](const std::string& mode) {
    return testing::RunProcess(
        {HALFTONE_BINARY, "aoe", "--framework=5", "--job_type=1", "--model=" + Digits("model.onnx"),
         "--inputs=" + Digits("search_inputs.npy"), "--max_samples=2", "--threads=1",
         "--max_trials=2", "--progress_bar=off", "--output=" + (folder / "out").string(), mode},
        {{"ASCEND_WORK_PATH", folder.string()},
         {"ASCEND_CACHE_PATH", folder.string()},
         {"TUNE_BANK_PATH", ""},
         {"HOME", "/dev/null/home"},
         {"HALFTONE_LATENCY_BUDGET", "0.001"}});
  };
  const auto v1 = aoe("--precision_mode=must_keep_origin_dtype");
  EXPECT_EQ(v1.exit_code, 0) << v1.err;
  EXPECT_THAT(v1.err, HasSubstr("note: the guide advises --precision_mode_v2=origin in place of "
                                "--precision_mode=must_keep_origin_dtype\n"));
  EXPECT_EQ(v1.err.find("advises"), v1.err.rfind("advises"));
  EXPECT_THAT(ReadFile(folder / "out/arguments.txt"), HasSubstr("--precision_mode="));
  const auto v2 = aoe("--precision_mode_v2=origin");
  EXPECT_EQ(v2.exit_code, 0) << v2.err;
  EXPECT_THAT(v2.err, Not(HasSubstr("advises")));
  EXPECT_THAT(ReadFile(folder / "out/arguments.txt"),
              ::testing::AnyOf(HasSubstr("--precision_mode_v2="), HasSubstr("=allow_fp32_to_")));
  std::filesystem::remove_all(folder);
}

TEST(WriteV2, FilesNameTheModeByItsNewerName) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "write_v2";
  const auto written = Halftone(
      Explain({"--precision_mode_v2=mixed_float16", "--write_v2", "--output=" + folder.string()}));
  EXPECT_EQ(written.exit_code, 0) << written.err;
  const std::string arguments = ReadFile(folder / "arguments.txt");
  EXPECT_THAT(arguments, HasSubstr("--precision_mode_v2=mixed_float16\n"));
  EXPECT_THAT(arguments, Not(HasSubstr("--precision_mode=")));
  // What the folder says is not typed, so nothing is advised.
  const auto read = Halftone(Explain({"--point=" + folder.string()}));
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.err, Not(HasSubstr("advises")));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halftone
