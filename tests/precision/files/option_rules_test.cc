// What the guides say of single options, a row for each clause; the messages are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/files/option_table.h"
#include "src/precision/files/option_text.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Homogeneous;
using ::testing::IsEmpty;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

// x -> Exp "exp" -> Relu "relu"
Graph Chain() {
  PlainGraphBuilder builder;
  const ValueId exp = builder.Node(OpKind::kExp, "exp", {builder.Input("x")});
  return builder.Finish({builder.Node(OpKind::kRelu, "relu", {exp})});
}

TargetSpec FloatTarget() {
  return MakeTarget(
      {{"Exp", Homogeneous(1, {kF16, kF32})}, {"Relu", Homogeneous(1, {kF16, kF32})}});
}

std::vector<std::string> WarningsOf(const PrecisionOptions& options, const Graph& graph = Chain()) {
  return ResolvePrecision(graph, options, FloatTarget()).warnings;
}

// ---- force_fp16 in training ---------------------------------------------------------------------

TEST(ForceFp16InTraining, IsAcceptedWithAWarning) {
  const PrecisionOptions v1{.precision_mode = "force_fp16", .graph_run_mode = "1"};
  EXPECT_THAT(WarningsOf(v1),
              ElementsAre("--precision_mode=force_fp16 in training: newer guides name it for "
                          "online inference; for training they have allow_mix_precision, "
                          "allow_fp32_to_fp16 and must_keep_origin_dtype"));
  EXPECT_EQ(ResolvePrecision(Chain(), v1, FloatTarget()).node(1).compute_dtype(), kF16);
  const PrecisionOptions v2{.precision_mode_v2 = "fp16", .graph_run_mode = "1"};
  EXPECT_THAT(WarningsOf(v2),
              ElementsAre("--precision_mode_v2=fp16 in training: newer guides name it for online "
                          "inference; for training they have allow_mix_precision, "
                          "allow_fp32_to_fp16 and must_keep_origin_dtype"));
  EXPECT_THAT(WarningsOf({.precision_mode = "force_fp16"}), IsEmpty());
  EXPECT_THAT(WarningsOf({.precision_mode = "allow_fp32_to_fp16", .graph_run_mode = "1"}),
              IsEmpty());
}

// ---- Texts of options ---------------------------------------------------------------------------

const PrecisionOptionRow& Option(std::string_view name) {
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (row.name == name) {
      return row;
    }
  }
  throw Error(ErrorKind::kInternal, "no such option");
}

// What `act` is refused with; empty: it is not.
template <typename Act>
std::string RefusalOf(const Act& act) {
  try {
    act();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

struct PathCase {
  const char* name;
  const char* option;
  const char* path;
  const char* message;  // empty: accepted
};

class OptionPath : public ::testing::TestWithParam<PathCase> {};

TEST_P(OptionPath, HoldsTheCharactersOfTheGuide) {
  const PathCase& row = GetParam();
  PrecisionArguments arguments;
  arguments.*Option(row.option).argument = row.path;
  EXPECT_EQ(RefusalOf([&] { CheckOptionPaths(arguments); }), row.message);
}

INSTANTIATE_TEST_SUITE_P(
    Paths, OptionPath,
    ::testing::Values(
        PathCase{"Plain", "keep_dtype", "/home/User_1/net-2/../keep.v1.cfg", ""},
        PathCase{"Chinese", "modify_mixlist", "\u6a21\u578b/\u9ed1\u540d\u5355.json", ""},
        PathCase{"Ideographs", "modify_mixlist", "\u3400\u9fff\U00020000.json", ""},
        PathCase{"ColonInKeepDtype", "keep_dtype", "C:/keep.cfg", ""},
        PathCase{"ColonElsewhere", "customize_dtypes", "C:/custom.cfg",
                 "E10001: --customize_dtypes=C:/custom.cfg: expected a path of letters, digits, "
                 "'/', '_', '-', '.' and Chinese characters, found ':' as character 2; rename the "
                 "file, or link to it by such a name"},
        PathCase{"Blank", "keep_dtype", "my keep.cfg",
                 "E10001: --keep_dtype=my keep.cfg: expected a path of letters, digits, '/', '_', "
                 "'-', '.', ':' and Chinese characters, found ' ' as character 3; rename the file, "
                 "or link to it by such a name"},
        PathCase{"Tilde", "op_precision_mode", "~/op.ini",
                 "E10001: --op_precision_mode=~/op.ini: expected a path of letters, digits, '/', "
                 "'_', '-', '.' and Chinese characters, found '~' as character 1; rename the file, "
                 "or link to it by such a name"},
        PathCase{"CountsCharacters", "modify_mixlist", "\u6a21\u578b+.json",
                 "E10001: --modify_mixlist=\u6a21\u578b+.json: expected a path of letters, "
                 "digits, '/', '_', '-', '.' and Chinese characters, found '+' as character 3; "
                 "rename the file, or link to it by such a name"},
        PathCase{"OtherLetters", "keep_dtype", "k\u00e9ep.cfg",
                 "E10001: --keep_dtype=k\u00e9ep.cfg: expected a path of letters, digits, '/', "
                 "'_', '-', '.', ':' and Chinese characters, found '\u00e9' as character 2; rename "
                 "the file, or link to it by such a name"},
        PathCase{"NoUtf8", "keep_dtype", "a\xe6\x97",
                 "E10001: --keep_dtype=a\\xe6\\x97: expected a path of letters, digits, '/', '_', "
                 "'-', '.', ':' and Chinese characters, found '\\xe6' as character 2; rename the "
                 "file, or link to it by such a name"}),
    [](const auto& row) { return row.param.name; });

struct ListCase {
  const char* name;
  const char* text;
  const char* message;  // empty: accepted
};

class TypeList : public ::testing::TestWithParam<ListCase> {};

TEST_P(TypeList, HasNoBlanks) {
  PrecisionOptions options;
  std::vector<std::string> warnings;
  EXPECT_EQ(RefusalOf([&] {
              Option("optypelist_for_implmode")
                  .read({GetParam().text, "--optypelist_for_implmode"}, options, warnings);
            }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, TypeList,
    ::testing::Values(
        ListCase{"Plain", "SoftmaxV2,Gelu", ""},
        ListCase{"BehindAComma", "SoftmaxV2, Gelu",
                 "E10001: --optypelist_for_implmode=SoftmaxV2, Gelu: expected operator types "
                 "separated by ',' without blanks, found ' ' as character 11; take it out"},
        ListCase{"AtTheStart", " Gelu",
                 "E10001: --optypelist_for_implmode= Gelu: expected operator types separated by "
                 "',' without blanks, found ' ' as character 1; take it out"},
        ListCase{"Tab", "Gelu\t",
                 "E10001: --optypelist_for_implmode=Gelu\\t: expected operator types separated by "
                 "',' without blanks, found '\\t' as character 5; take it out"}),
    [](const auto& row) { return row.param.name; });

// ---- Files without a line -----------------------------------------------------------------------

struct EmptyFile {
  const char* name;
  const char* option;
  const char* content;
  std::vector<std::string> warnings;
};

class FileWithoutALine : public ::testing::TestWithParam<EmptyFile> {};

TEST_P(FileWithoutALine, SaysThatItChangesNothing) {
  PrecisionOptions options;
  std::vector<std::string> warnings;
  Option(GetParam().option).read({GetParam().content, "some.cfg"}, options, warnings);
  EXPECT_EQ(warnings, GetParam().warnings);
}

constexpr const char* kEmptyKeep =
    "some.cfg: expected node names or lines OpType::<type>, found none; --keep_dtype changes "
    "nothing";
constexpr const char* kEmptyCustom =
    "some.cfg: expected node names or lines OpType::<type>, found none; --customize_dtypes changes "
    "nothing";

INSTANTIATE_TEST_SUITE_P(
    Files, FileWithoutALine,
    ::testing::Values(
        EmptyFile{"Keep", "keep_dtype", "", {kEmptyKeep}},
        EmptyFile{"KeepOfComments", "keep_dtype", "# a\n\n  \n", {kEmptyKeep}},
        EmptyFile{"KeepWithALine", "keep_dtype", "relu\n", {}},
        EmptyFile{"Custom", "customize_dtypes", "", {kEmptyCustom}},
        EmptyFile{"CustomOfComments",
                  "customize_dtypes",
                  "# a\n",
                  {"some.cfg: 1 blank or comment line is skipped; the Ascend compiler refuses a "
                   "file with such lines",
                   kEmptyCustom}},
        EmptyFile{"CustomWithALine", "customize_dtypes", "relu::InputDtype:float16\n", {}}),
    [](const auto& row) { return row.param.name; });

// ---- Long lines ---------------------------------------------------------------------------------

std::string Long(char letter, std::size_t length) {
  return std::string(length, letter);
}

// What a line of `name`, that means no node, is answered with.
TEST(LongLine, IsQuotedShortened) {
  const auto refusal = [](const std::string& name) {
    return RefusalOf([&] {
      ResolvePrecision(Chain(), {.precision_mode = "force_fp16", .keep_dtype = {name}},
                       FloatTarget());
    });
  };
  EXPECT_EQ(refusal(Long('n', 200)),
            "E10042: keep_dtype lists 1 name that is not in the graph: '" + Long('n', 200) + "'");
  const std::string shortened = Shown(Long('n', 201));
  EXPECT_EQ(shortened.size(), 80U);
  EXPECT_EQ(refusal(Long('n', 201)),
            "E10042: keep_dtype lists 1 name that is not in the graph: '" + shortened + "'");
  EXPECT_EQ(refusal(Long('n', 1U << 20U)),
            "E10042: keep_dtype lists 1 name that is not in the graph: '" + shortened + "'");
}

struct LongCase {
  const char* name;
  const char* option;
  std::string content;
  std::string message;  // "$" stands for the line as it is quoted
};

class LongLineOf : public ::testing::TestWithParam<LongCase> {};

TEST_P(LongLineOf, IsQuotedShortened) {
  PrecisionOptions options;
  std::vector<std::string> warnings;
  std::string said = RefusalOf([&] {
    Option(GetParam().option).read({GetParam().content, "f"}, options, warnings);
  });
  said += warnings.empty() ? "" : warnings.front();
  std::string expected = GetParam().message;
  expected.replace(expected.find('$'), 1, Shown(Long('n', 300)));
  EXPECT_EQ(said, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Files, LongLineOf,
    ::testing::Values(LongCase{"Custom", "customize_dtypes", Long('n', 300),
                               "f:1: expected a node name, then ':', found '$'"},
                      LongCase{"CustomTwice", "customize_dtypes",
                               Long('n', 300) + "::InputDtype:int8\n" + Long('n', 300) +
                                   "::InputDtype:int8",
                               "f:2: '$' is listed twice; the first line counts"},
                      LongCase{"Ini", "op_precision_mode", Long('n', 300),
                               "f:1: expected 'name=mode', found '$'; the line is ignored"},
                      LongCase{"Mixlist", "modify_mixlist", "{\"" + Long('n', 300) + "\": {}}",
                               "f: unknown key '$'; expected black-list, white-list or gray-list"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace halftone
