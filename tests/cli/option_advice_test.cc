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
