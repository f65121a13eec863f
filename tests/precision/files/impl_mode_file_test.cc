#include "src/precision/files/impl_mode_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAreArray;

constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr ImplMode kExact = ImplMode::kHighPrecision;
using Modes = std::map<std::string, ImplMode>;

struct Case {
  const char* name;
  const char* content;
  Modes by_type;
  Modes by_node;
  std::vector<std::string> warnings = {};
};

class ImplModeFileReads : public ::testing::TestWithParam<Case> {};

TEST_P(ImplModeFileReads, SectionsAndWarnings) {
  const ImplModeFile file = ParseImplModeFile(GetParam().content, "o.ini");
  EXPECT_EQ(file.by_type, GetParam().by_type);
  EXPECT_EQ(file.by_node, GetParam().by_node);
  EXPECT_THAT(file.warnings, ElementsAreArray(GetParam().warnings));
}

constexpr const char* kUnknownMode =
    "o.ini:1: 'fastest' is not an implementation mode; the line is ignored; expected one of "
    "high_precision, high_performance, enable_float_32_execution, enable_hi_float_32_execution, "
    "support_out_of_bound_index, keep_fp16, super_performance, norm_class";
constexpr const char* kDefaultMode =
    "o.ini:1: 'default' is not an implementation mode; the line is ignored; expected one of "
    "high_precision, high_performance, enable_float_32_execution, enable_hi_float_32_execution, "
    "support_out_of_bound_index, keep_fp16, super_performance, norm_class";

INSTANTIATE_TEST_SUITE_P(
    Good, ImplModeFileReads,
    ::testing::Values(
        Case{"Empty", "", {}, {}},
        Case{"Example",
             "# comment\n[ByOpType]\nSoftmaxV2 = high_precision\nGelu=high_performance\n\n"
             "[ByNodeName]\nbert/layer_0/Softmax=high_precision\n",
             {{"SoftmaxV2", kExact}, {"Gelu", kFast}},
             {{"bert/layer_0/Softmax", kExact}}},
        Case{"OldFormWithoutHeaders", "Exp=high_precision\n", {{"Exp", kExact}}, {}},
        Case{"LinesBeforeAHeaderAreTypes",
             "Exp=high_precision\n[ByNodeName]\nn=high_performance\n[ByOpType]\nLog=high_precision",
             {{"Exp", kExact}, {"Log", kExact}},
             {{"n", kFast}}},
        Case{"CarriageReturns", "[ByNodeName]\r\nn = high_precision\r\n", {}, {{"n", kExact}}},
        Case{"BlankInAName", "[ByNodeName]\na b=high_precision\n", {}, {{"a b", kExact}}},
        Case{"AllModes",
             "a=enable_float_32_execution\nb=enable_hi_float_32_execution\n"
             "c=support_out_of_bound_index\nd=keep_fp16\ne=super_performance\nf=norm_class\n",
             {{"a", ImplMode::kEnableFloat32Execution},
              {"b", ImplMode::kEnableHiFloat32Execution},
              {"c", ImplMode::kSupportOutOfBoundIndex},
              {"d", ImplMode::kKeepFp16},
              {"e", ImplMode::kSuperPerformance},
              {"f", ImplMode::kNormClass}},
             {}},
        Case{"HeaderWithValueIsAName",
             "[ByNodeName]=high_precision\nn=high_precision\n",
             {{"[ByNodeName]", kExact}, {"n", kExact}},
             {}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Ignored, ImplModeFileReads,
    ::testing::Values(
        Case{"UnknownMode", "Exp=fastest\n", {}, {}, {kUnknownMode}},
        Case{"DefaultIsNoMode", "Exp=default\n", {}, {}, {kDefaultMode}},
        Case{"EmptyName",
             " = high_precision\n",
             {},
             {},
             {"o.ini:1: the name is empty; the line is ignored"}},
        Case{"EmptyMode", "\nExp=\n", {}, {}, {"o.ini:2: the mode is empty; the line is ignored"}},
        Case{"NoEqualsSign",
             "Exp\n",
             {},
             {},
             {"o.ini:1: expected 'name=mode', found 'Exp'; the line is ignored"}},
        Case{"UnknownHeaderKeepsTheSection",
             "[ByNodeName]\n[Other]\nn=high_precision\n",
             {},
             {{"n", kExact}},
             {"o.ini:2: '[Other]' is neither [ByOpType] nor [ByNodeName]; it is ignored and the "
              "section stays [ByNodeName]"}},
        Case{"FirstOfTwoCounts",
             "Exp=high_precision\nExp=high_performance\n",
             {{"Exp", kExact}},
             {},
             {"o.ini:2: 'Exp' is listed twice; the first, high_precision, counts"}},
        Case{"SameNameInBothSectionsIsNotTwice",
             "Exp=high_precision\n[ByNodeName]\nExp=high_performance\n",
             {{"Exp", kExact}},
             {{"Exp", kFast}}},
        Case{"SplitAtTheFirstEqualsSign",
             "a=b=fastest\n",
             {},
             {},
             {"o.ini:1: 'b=fastest' is not an implementation mode; the line is ignored; expected "
              "one of high_precision, high_performance, enable_float_32_execution, "
              "enable_hi_float_32_execution, support_out_of_bound_index, keep_fp16, "
              "super_performance, norm_class"}},
        Case{"IndentedNumberSign",
             " #Exp=high_precision\n",
             {{"#Exp", kExact}},
             {},
             {"o.ini:1: a comment starts in column 0, so '#Exp' is read as a name"}}),
    [](const auto& row) { return row.param.name; });

TEST(CanBeImplModeKey, IsWhatComesBackUnchanged) {
  for (const char* name : {"a", "a b", "a/b:0", "OpType::x", "a#", "a[0]"}) {
    EXPECT_TRUE(CanBeImplModeKey(name)) << name;
    ImplModeFile file;
    file.by_node = {{name, kExact}};
    EXPECT_EQ(ParseImplModeFile(FormatImplModeFile(file), "o.ini"), file) << name;
  }
  for (const char* name : {"", " a", "a ", "a=b", "#a", "[a", "[ByOpType]", "a\nb", "a\rb"}) {
    EXPECT_FALSE(CanBeImplModeKey(name)) << name;
    ImplModeFile file;
    file.by_node = {{name, kExact}};
    EXPECT_THROW(FormatImplModeFile(file), Error) << name;
  }
}

}  // namespace
}  // namespace halftone
