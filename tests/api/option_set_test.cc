// Option sets as one text, for `explain --diff`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/api/halftone.h"
#include "src/base/file.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

class OptionSet : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "option set";
    std::filesystem::create_directories(folder_);
    WriteFileAtomically(folder_ / "keep_dtype.cfg", "conv1\n");
    WriteFileAtomically(folder_ / "arguments.txt",
                        "--precision_mode=force_fp16\n--keep_dtype=keep_dtype.cfg\n");
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(OptionSet, IsTextWithOrWithoutDashes) {
  const PrecisionOptions options =
      LoadOptionSet("precision_mode=force_fp32 --allow_hf32 true output_type='a b:0:FP16'").options;
  EXPECT_EQ(options.precision_mode, "force_fp32");
  EXPECT_EQ(options.allow_hf32, "true");
  EXPECT_EQ(options.output_type, "a b:0:FP16");
  EXPECT_EQ(LoadOptionSet("").options, PrecisionOptions{});
  EXPECT_EQ(LoadOptionSet(" \n").options, PrecisionOptions{});
}

TEST_F(OptionSet, IsAFolderOrAFileWhosePathsAreRelativeToIt) {
  for (const auto& path : {folder_, folder_ / "arguments.txt"}) {
    const PrecisionOptions options = LoadOptionSet(path.string()).options;
    EXPECT_EQ(options.precision_mode, "force_fp16");
    EXPECT_THAT(options.keep_dtype, ElementsAre("conv1"));
  }
}

struct BadCase {
  const char* text;
  const char* message;
};

TEST_F(OptionSet, RefusesOtherWords) {
  for (const BadCase& row :
       {BadCase{"precison_mode=x",
                "expected precision options in the option set, found "
                "'precison_mode=x'; did you mean --precision_mode?"},
        BadCase{"--model=m.onnx",
                "expected precision options in the option set, found '--model=m.onnx'"},
        BadCase{"precision_mode", "expected a value after 'precision_mode'"},
        BadCase{"precision_mode='x", "expected a closing ' in the option set 'precision_mode='x'"},
        BadCase{"keep_dtype=/nowhere",
                "E10001: --keep_dtype=/nowhere: cannot read '/nowhere': No such file or "
                "directory"}}) {
    try {
      LoadOptionSet(row.text);
      ADD_FAILURE() << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(), std::string(row.message));
    }
  }
}

}  // namespace
}  // namespace halftone
