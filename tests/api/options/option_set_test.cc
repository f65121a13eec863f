// Option sets as one text, for `explain --diff` and points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/api/halftone.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

PrecisionOptions Options(const std::string& text) {
  return LoadOptionSet(text, {}).precision.options;
}

class OptionSetTest : public ::testing::Test {
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

TEST_F(OptionSetTest, IsTextWithOrWithoutDashes) {
  const PrecisionOptions options =
      Options("precision_mode=force_fp32 --allow_hf32 true output_type='a b:0:FP16'");
  EXPECT_EQ(options.precision_mode, "force_fp32");
  EXPECT_EQ(options.allow_hf32, "true");
  EXPECT_EQ(options.output_type, "a b:0:FP16");
  EXPECT_EQ(Options(""), PrecisionOptions{});
  EXPECT_EQ(Options(" \n"), PrecisionOptions{});
}

TEST_F(OptionSetTest, IsAFolderOrAFileWhosePathsAreRelativeToIt) {
  for (const auto& path : {folder_, folder_ / "arguments.txt"}) {
    const PrecisionOptions options = Options(path.string());
    EXPECT_EQ(options.precision_mode, "force_fp16");
    EXPECT_THAT(options.keep_dtype, ElementsAre("conv1"));
  }
}

TEST_F(OptionSetTest, MayNameItsOwnTarget) {
  const TargetOptions target{.soc_version = "Ascend310P3", .ops_info = {}};
  EXPECT_EQ(LoadOptionSet("precision_mode=force_fp16", target).target.name, "Ascend310P3");
  EXPECT_EQ(LoadOptionSet("--soc_version=Ascend910B1", target).target.name, "Ascend910B1");
  // The mode is checked against the target of the set.
  EXPECT_EQ(Options("soc_version=Ascend910B1 precision_mode=allow_fp32_to_bf16").precision_mode,
            "allow_fp32_to_bf16");
}

TEST_F(OptionSetTest, FusionSwitchesAreWrittenAndNamed) {
  const std::string switches = R"({"Switch": {"UBFusion": {"ALL": "off"}}})";
  WriteFileAtomically(folder_ / "mine.json", switches);
  const FusionSwitches read = LoadFusionSwitches((folder_ / "mine.json").string());
  const Model model = LoadModel({.path = testing::SourceDir() / "examples/digits/model.onnx",
                                 .fusions_off = read.off,
                                 .fusion_switches = read.file});
  const WrittenOptions written =
      WriteSmallestOptions({&model, 1}, {}, {.precision_mode = "force_fp16"}, folder_ / "out");
  EXPECT_THAT(
      written.arguments,
      ElementsAre("--soc_version=host", "--input_shape=" + model.input_shapes,
                  "--precision_mode=force_fp16", "--fusion_switch_file=fusion_switch.json"));
  EXPECT_EQ(ReadFile(folder_ / "out/arguments.txt"), Join(written.arguments, "\n") + "\n");
  EXPECT_THAT(LoadOptionSet((folder_ / "out").string(), {}).shapes.input_shape,
              ElementsAre(model.input_shapes));
  EXPECT_EQ(ReadFile(folder_ / "out/fusion_switch.json"), switches);
  EXPECT_EQ(LoadOptionSet((folder_ / "out").string(), {}).fusion_switch_file,
            (folder_ / "out/fusion_switch.json").string());
  EXPECT_EQ(LoadOptionSet("precision_mode=force_fp16", {}).fusion_switch_file, "");
}

TEST_F(OptionSetTest, ModelsWithoutAFileOfSwitchesWriteTheirOwn) {
  const Model model = LoadModel({.path = testing::SourceDir() / "examples/digits/model.onnx",
                                 .fusions_off = {"fuse_activation"}});
  EXPECT_EQ(model.fusion_switches, R"({
  "Switch": {
    "UBFusion": {
      "fuse_activation": "off"
    }
  }
}
)");
}

TEST_F(OptionSetTest, NamesShapesAndTargetFilesOfItsFolder) {
  std::filesystem::copy_file(testing::SourceDir() / "examples/03_own_target.ini",
                             folder_ / "mine.ini");
  WriteFileAtomically(folder_ / "arguments.txt",
                      "--soc_version=mine.ini --input_shape='x:-1,3;y:2' --dynamic_batch_size=1,2");
  const OptionSet set = LoadOptionSet(folder_.string(), {});
  EXPECT_EQ(set.target.name, "my_card");
  EXPECT_THAT(InputShapesOf(set.shapes), ElementsAre("x:1,3;y:2", "x:2,3;y:2"));
}

struct BadCase {
  const char* text;
  std::string message;
};

std::string ThereAre() {
  std::string text =
      "; there are soc_version, ops_info, fusion_switch_file, input_shape, dynamic_batch_size, "
      "dynamic_image_size, dynamic_dims";
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    text += ", " + std::string(row.name);
  }
  return text;
}

TEST_F(OptionSetTest, RefusesOtherWords) {
  for (const BadCase& row :
       {BadCase{"precison_mode=x",
                "expected an option such as precision_mode=force_fp16, found 'precison_mode=x'; "
                "did you mean --precision_mode?"},
        BadCase{"--model=m.onnx",
                "expected an option such as precision_mode=force_fp16, found '--model=m.onnx'" +
                    ThereAre()},
        BadCase{"precision_mode", "expected a value after 'precision_mode'"},
        BadCase{"nowhere/point_1",
                "expected an option such as precision_mode=force_fp16, found 'nowhere/point_1', "
                "which is no file or folder either" +
                    ThereAre()},
        BadCase{"precision_mode=allow_fp32_to_bf16 soc_version=Ascend310P3",
                "--precision_mode=allow_fp32_to_bf16: current soc does not support BFloat16 "
                "(soc_version Ascend310P3); use a float16 mode"},
        BadCase{"precision_mode=x --precision_mode=y",
                "the option set gives --precision_mode twice"},
        BadCase{"precision_mode='x", "expected a closing ' in the option set 'precision_mode='x'"},
        BadCase{"keep_dtype=/nowhere",
                "E10001: --keep_dtype=/nowhere: cannot read '/nowhere': No such file or "
                "directory"}}) {
    try {
      LoadOptionSet(row.text, {});
      ADD_FAILURE() << row.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(), row.message);
    }
  }
}

// A sparse file, of which no more is read than its size.
TEST_F(OptionSetTest, FilesThatAreLargerThanAnyAreNotRead) {
  const std::filesystem::path options = folder_ / "large.txt";
  const std::filesystem::path target = folder_ / "large.ini";
  for (const std::filesystem::path& file : {options, target}) {
    WriteFileAtomically(file, "");
    std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);
  }
  const auto message = [](auto&& body) {
    try {
      body();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  constexpr const char* kExpected = "expected a file of at most 16777216 bytes";
  EXPECT_THAT(message([&] { LoadOptionSet(options.string(), {}); }),
              ::testing::HasSubstr(kExpected));
  EXPECT_THAT(message([&] { LoadTarget(target.string()); }), ::testing::HasSubstr(kExpected));
}

}  // namespace
}  // namespace halftone
