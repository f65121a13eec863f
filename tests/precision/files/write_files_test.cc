#include "src/precision/files/write_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/random_cases.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TEST(WriteFiles, NameTheArgumentsInAComment) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  options.keep_dtype = {"OpType::SoftmaxV2", "conv1"};
  options.op_precision_given = true;
  options.impl_mode_by_type = {{"Exp", ImplMode::kHighPrecision}};
  options.impl_mode_by_node = {{"exp1", ImplMode::kHighPerformance}};
  const OptionFiles files = WriteOptionFiles(options);
  EXPECT_EQ(files.arguments, (std::vector<std::string>{"--precision_mode=allow_mix_precision",
                                                       "--keep_dtype=keep_dtype.cfg",
                                                       "--op_precision_mode=op_precision.ini"}));
  EXPECT_EQ(files.files.at("keep_dtype.cfg"),
            "# halftone: the file of --keep_dtype. Use it with:\n"
            "#   --precision_mode=allow_mix_precision --keep_dtype=keep_dtype.cfg "
            "--op_precision_mode=op_precision.ini\n"
            "OpType::SoftmaxV2\nconv1\n");
  EXPECT_EQ(files.files.at("op_precision.ini"),
            "# halftone: the file of --op_precision_mode. Use it with:\n"
            "#   --precision_mode=allow_mix_precision --keep_dtype=keep_dtype.cfg "
            "--op_precision_mode=op_precision.ini\n"
            "[ByOpType]\nExp=high_precision\n[ByNodeName]\nexp1=high_performance\n");
}

TEST(WriteFiles, FusionSwitchesAreAnArgumentAndAFile) {
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  options.keep_dtype = {"conv1"};
  const OptionFiles files = WriteOptionFiles(options, "{\"Switch\": {}}\n");
  EXPECT_EQ(files.arguments,
            (std::vector<std::string>{"--precision_mode=force_fp16", "--keep_dtype=keep_dtype.cfg",
                                      "--fusion_switch_file=fusion_switch.json"}));
  EXPECT_EQ(files.files.at("fusion_switch.json"), "{\"Switch\": {}}\n");
  EXPECT_EQ(files.files.at("keep_dtype.cfg"),
            "# halftone: the file of --keep_dtype. Use it with:\n"
            "#   --precision_mode=force_fp16 --keep_dtype=keep_dtype.cfg "
            "--fusion_switch_file=fusion_switch.json\n"
            "conv1\n");
  EXPECT_THAT(OptionFileNames(), ::testing::Contains("fusion_switch.json"));
}

// The comment is one line, to be pasted into a shell.
TEST(WriteFiles, AwkwardValuesStandQuotedInTheComment) {
  PrecisionOptions options;
  options.keep_dtype = {"conv1"};
  options.output_type = "it's\nit:0:FP16";
  EXPECT_EQ(WriteOptionFiles(options).files.at("keep_dtype.cfg"),
            "# halftone: the file of --keep_dtype. Use it with:\n"
            "#   --keep_dtype=keep_dtype.cfg --output_type='it'\"'\"'s\\nit:0:FP16'\n"
            "conv1\n");
  EXPECT_EQ(ReadOptionFiles(WriteOptionFiles(options)), options);
}

TEST(WriteFiles, NothingGivenIsNothingWritten) {
  const OptionFiles files = WriteOptionFiles({});
  EXPECT_TRUE(files.arguments.empty());
  EXPECT_TRUE(files.files.empty());
}

TEST(WriteFiles, AnEmptyIniIsStillGiven) {
  PrecisionOptions options;
  options.op_precision_given = true;
  const OptionFiles files = WriteOptionFiles(options);
  ASSERT_TRUE(files.files.contains("op_precision.ini"));
  EXPECT_EQ(ReadOptionFiles(files), options);
}

struct BadCase {
  const char* name;
  PrecisionOptions options;
  const char* message;
};

class WriteFilesRefuses : public ::testing::TestWithParam<BadCase> {};

TEST_P(WriteFilesRefuses, WhatTheFormatsCannotExpress) {
  try {
    WriteOptionFiles(GetParam().options);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

PrecisionOptions Keep(const char* line) {
  PrecisionOptions options;
  options.keep_dtype = {line};
  return options;
}

PrecisionOptions ByNode(const char* name, ImplMode mode = ImplMode::kHighPrecision) {
  PrecisionOptions options;
  options.impl_mode_by_node = {{name, mode}};
  return options;
}

PrecisionOptions TypeList(const char* type) {
  PrecisionOptions options;
  options.optypelist_for_implmode = {type};
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WriteFilesRefuses,
    ::testing::Values(
        BadCase{"CommentName", Keep("#1"), "the keep_dtype format cannot express '#1'"},
        BadCase{"LeadingBlank", Keep(" a"), "cannot express ' a'"},
        BadCase{"LineBreak", Keep("a\nb"), "cannot express 'a\\nb'"},
        BadCase{"BlankAfterOpType", Keep("OpType:: Relu"), "cannot express 'OpType:: Relu'"},
        BadCase{"EqualsSign", ByNode("a=b"),
                "op_precision_mode format cannot express the name 'a=b'"},
        BadCase{"Header", ByNode("[ByOpType]"), "cannot express the name '[ByOpType]'"},
        BadCase{"DefaultMode", ByNode("a", ImplMode::kDefault), "has no mode 'default'"},
        BadCase{"CommaInType", TypeList("Exp,Relu"), "expected operator types, found 'Exp,Relu'"},
        BadCase{"BlankAtType", TypeList("Exp "), "expected operator types, found 'Exp '"}),
    [](const auto& row) { return row.param.name; });

TEST(ReadFiles, RefuseOtherArgumentsAndMissingFiles) {
  EXPECT_THROW(ReadOptionFiles({.arguments = {"--model=m.onnx"}}), Error);
  EXPECT_THROW(ReadOptionFiles({.arguments = {"--keep_dtype=keep_dtype.cfg"}}), Error);
}

// Reading back what was written gives the same options and the same plan.
TEST(RoundTrip, RandomOptionsOnRandomGraphs) {
  constexpr std::uint64_t kCases = 4000;
  int with_keep = 0;
  int with_ini = 0;
  int with_custom = 0;
  int with_mixlist = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    const PrecisionOptions options = testing::RandomOptions(rng, graph, target);
    const OptionFiles files = WriteOptionFiles(options);
    std::vector<std::string> warnings;
    const PrecisionOptions back = ReadOptionFiles(files, &warnings);
    ASSERT_EQ(back, options);
    ASSERT_TRUE(warnings.empty()) << warnings[0];
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    const PrecisionPlan again = ResolvePrecision(graph, back, target);
    ASSERT_EQ(plan, again);
    ASSERT_EQ(plan.Digest(), again.Digest());
    with_keep += files.files.contains("keep_dtype.cfg") ? 1 : 0;
    with_ini += files.files.contains("op_precision.ini") ? 1 : 0;
    with_custom += files.files.contains("customize_dtypes.cfg") ? 1 : 0;
    with_mixlist += files.files.contains("modify_mixlist.json") ? 1 : 0;
  }
  EXPECT_GT(with_keep, 1000);  // the generator reaches every file
  EXPECT_GT(with_ini, 1000);
  EXPECT_GT(with_custom, 500);
  EXPECT_GT(with_mixlist, 500);
}

}  // namespace
}  // namespace halftone
