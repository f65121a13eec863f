#include "src/precision/files/customize_dtypes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Homogeneous;
using ::testing::IsEmpty;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF32 = DType::kFloat32;
const std::optional<DType> kFree;

struct LineCase {
  const char* name;
  const char* line;
  CustomDTypes entry;
};

class GoodLine : public ::testing::TestWithParam<LineCase> {};

TEST_P(GoodLine, IsReadAndWritten) {
  const CustomDTypesFile file = ParseCustomDTypes(GetParam().line, "c.cfg");
  EXPECT_THAT(file.warnings, IsEmpty());
  ASSERT_THAT(file.entries, ElementsAre(GetParam().entry));
  EXPECT_EQ(ParseCustomDTypes(FormatCustomDTypes(file.entries), "c.cfg").entries, file.entries);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, GoodLine,
    ::testing::Values(
        LineCase{"Documented",
                 "conv1::InputDtype:float16,float16,,OutputDtype:float32",
                 {"conv1", false, {kF16, kF16}, {kF32}}},
        LineCase{"Type",
                 "OpType::Softmax:InputDtype:float32,OutputDtype:float32",
                 {"Softmax", true, {kF32}, {kF32}}},
        LineCase{"TrailingComma", "OpType::Add::InputDtype:float16,", {"Add", true, {kF16}, {}}},
        LineCase{"NameWithOneColon", "a/b:InputDtype:bfloat16", {"a/b", false, {kBF16}, {}}},
        LineCase{"OnlyOutputs",
                 "a::OutputDtype:float,DOUBLE",
                 {"a", false, {}, {kF32, DType::kFloat64}}},
        LineCase{"FreeFirst", "a::InputDtype:,float16", {"a", false, {kFree, kF16}, {}}},
        LineCase{"FreeOutput", "a::OutputDtype:,int8", {"a", false, {}, {kFree, DType::kInt8}}},
        LineCase{
            "NoComma", "a::InputDtype:float16OutputDtype:float16", {"a", false, {kF16}, {kF16}}},
        LineCase{"AllFree", "a::InputDtype:,,OutputDtype:", {"a", false, {}, {}}},
        LineCase{"Case", "a::InputDtype:FLOAT16, Float", {"a", false, {kF16, kF32}, {}}},
        LineCase{"Blanks",
                 "  a b ::InputDtype: float16 ,OutputDtype: float32  ",
                 {"a b", false, {kF16}, {kF32}}},
        LineCase{"OtherTypes",
                 "a::InputDtype:int16,int32,int64,uint8,uint16,uint32,uint64,bool",
                 {"a",
                  false,
                  {DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16,
                   DType::kUInt32, DType::kUInt64, DType::kBool},
                  {}}}),
    [](const auto& row) { return row.param.name; });

struct BadFile {
  const char* name;
  std::string content;
  std::string message;
};

class BadCustomDTypes : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadCustomDTypes, SaysWhere) {
  try {
    ParseCustomDTypes(GetParam().content, "c.cfg");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadCustomDTypes,
    ::testing::Values(
        BadFile{"NoColon", "conv1", "c.cfg:1: expected a node name, then ':', found 'conv1'"},
        BadFile{"NoName", "::InputDtype:float16",
                "c.cfg:1: expected a node name, then ':', found '::InputDtype:float16'"},
        BadFile{"NoType", "OpType:::InputDtype:float16",
                "c.cfg:1: expected an IR type and ':' after 'OpType::', found "
                "':InputDtype:float16'"},
        BadFile{"NeitherPart", "a::float16",
                "c.cfg:1: expected 'InputDtype:' or 'OutputDtype:' after the name, found "
                "'float16'"},
        BadFile{"NothingBehind", "a::",
                "c.cfg:1: expected 'InputDtype:' or 'OutputDtype:' after the name, found ''"},
        BadFile{"WrongOrder", "ok::InputDtype:float16\na::OutputDtype:float16,InputDtype:float16",
                "c.cfg:2: expected 'InputDtype:' before 'OutputDtype:', found "
                "'float16,InputDtype:float16'"},
        BadFile{"UnknownDType", "a::InputDtype:float16,fp32\n",
                "c.cfg:1: expected a dtype (float16, bfloat16, float32, int8, ...) or nothing, "
                "found 'fp32'"},
        BadFile{"Complex", "a::OutputDtype:complex64",
                "c.cfg:1: expected a dtype (float16, bfloat16, float32, int8, ...) or nothing, "
                "found 'complex64'"},
        BadFile{"NameWithColons", "a:b:c::InputDtype:float16",
                "c.cfg:1: expected 'InputDtype:' or 'OutputDtype:' after the name, found "
                "'b:c::InputDtype:float16'"},
        BadFile{"LongLine", std::string(1 << 20, 'a') + "::InputDtype:float16",
                "c.cfg:1: expected a line of at most 1024 bytes, found 1048596"},
        BadFile{"Binary", std::string("\x7F\x45LF\0\1", 6),
                "c.cfg:1: expected a node name, then ':', found '\\x7fELF\\x00\\x01'"}),
    [](const auto& row) { return row.param.name; });

TEST(ParseCustomDTypes, BlankAndCommentLinesAreSkippedWithAWarning) {
  const CustomDTypesFile file =
      ParseCustomDTypes("\xEF\xBB\xBF# all\r\n\r\na::InputDtype:float16\r\n", "c.cfg");
  EXPECT_THAT(file.entries, ElementsAre(CustomDTypes{"a", false, {kF16}, {}}));
  EXPECT_THAT(
      file.warnings,
      ElementsAre("c.cfg: 2 blank or comment lines are skipped; the Ascend compiler refuses "
                  "a file with such lines"));
  EXPECT_THAT(ParseCustomDTypes("", "c.cfg").entries, IsEmpty());
}

TEST(ParseCustomDTypes, TheFirstLineOfATargetCounts) {
  const CustomDTypesFile file = ParseCustomDTypes(
      "a::InputDtype:float16\na::InputDtype:float32\nOpType::a:InputDtype:float32", "c.cfg");
  EXPECT_THAT(file.entries, ElementsAre(CustomDTypes{"a", false, {kF16}, {}},
                                        CustomDTypes{"a", true, {kF32}, {}}));
  EXPECT_THAT(file.warnings, ElementsAre("c.cfg:2: 'a' is listed twice; the first line counts"));
}

TEST(FormatCustomDTypes, RefusesWhatTheFormatCannotExpress) {
  for (const char* name : {"a:b", " a", "a ", "#a", "", "OpType::Relu"}) {
    EXPECT_THROW(FormatCustomDTypes({{name, false, {kF16}, {}}}), Error) << name;
  }
}

// ---- In the resolver ----------------------------------------------------------------------------

// exp (black) feeds relu (gray); conv1 is fused with act.
Graph Chain(DType original = kF32) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x", original);
  const ValueId exp = builder.Node(OpKind::kExp, "exp", {x}, original, {{"act", "Clip"}});
  const ValueId relu = builder.Node(OpKind::kRelu, "relu", {exp}, original);
  Graph graph = builder.Finish({builder.Node(OpKind::kRelu, "relu2", {relu}, original)});
  graph.removed = {{"folded", "Shape"}};
  return graph;
}

TargetSpec ChainTarget(std::vector<DType> exp, std::vector<DType> relu) {
  return MakeTarget({{"Exp", Homogeneous(1, exp, MixPolicy::kBlack)},
                     {"Relu", Homogeneous(1, relu, MixPolicy::kGray)}});
}

PrecisionOptions Options(const char* mode, std::vector<CustomDTypes> entries) {
  PrecisionOptions options;
  options.precision_mode = mode;
  options.customize_dtypes = std::move(entries);
  return options;
}

std::vector<DType> Resolved(const PrecisionOptions& options, const TargetSpec& target,
                            DType original = kF32) {
  std::vector<DType> dtypes;
  for (const NodePrecision& node : ResolvePrecision(Chain(original), options, target).nodes) {
    dtypes.push_back(node.outputs[0].dtype());
  }
  return dtypes;
}

const std::vector<DType> kAll = {kF16, kBF16, kF32};

TEST(ResolveCustom, BeatsEveryModeAndKeepDtype) {
  for (const char* mode :
       {"force_fp16", "force_fp32", "allow_fp32_to_fp16", "must_keep_origin_dtype",
        "allow_mix_precision", "allow_fp32_to_bf16", "allow_mix_precision_bf16"}) {
    for (const DType wanted : kAll) {
      PrecisionOptions options = Options(mode, {{"exp", false, {wanted}, {}}});
      options.keep_dtype = {"exp"};
      EXPECT_EQ(Resolved(options, ChainTarget(kAll, kAll))[0], wanted) << mode;
    }
  }
}

TEST(ResolveCustom, ANameBeatsAType) {
  const auto options =
      Options("force_fp32", {{"Relu", true, {kF16}, {}}, {"relu2", false, {kBF16}, {kBF16}}});
  EXPECT_THAT(Resolved(options, ChainTarget(kAll, kAll)), ElementsAre(kF32, kF16, kBF16));
}

TEST(ResolveCustom, PassesTheEngineWhereTheOriginalWouldNot) {
  // must_keep_origin_dtype on a float16-only operator: AI CPU or an error, unless it is given.
  const TargetSpec target = ChainTarget({kF16}, {kF32});
  EXPECT_THROW(Resolved(Options("must_keep_origin_dtype", {}), target), Error);
  const auto options = Options("must_keep_origin_dtype", {{"exp", false, {kF16}, {kF16}}});
  EXPECT_THAT(Resolved(options, target), ElementsAre(kF16, kF32, kF32));
}

TEST(ResolveCustom, FreeTensorsFollowTheColumnsThatAreLeft) {
  // The input is given, the output is not: float16 is all that remains for it.
  const auto options = Options("must_keep_origin_dtype", {{"exp", false, {kF16}, {}}});
  EXPECT_THAT(Resolved(options, ChainTarget({kF16, kF32}, {kF32})), ElementsAre(kF16, kF32, kF32));
  // bfloat16 does not serve float16, and integers are exact.
  const auto to_bf16 = Options("must_keep_origin_dtype", {{"exp", false, {kBF16}, {}}});
  EXPECT_THROW(Resolved(to_bf16, ChainTarget({kBF16}, {kF32}), kF16), Error);
}

// A convolution of float32 whose line gives its input alone: its result may be of two dtypes.
NodePrecision PartlyGiven(const PrecisionOptions& options) {
  PlainGraphBuilder builder;
  const Graph graph = builder.Finish(
      {builder.Node(OpKind::kConv, "conv", {builder.Input("x"), builder.Constant("w")})});
  const LibraryOp op{.inputs = {{kF16, kF16, kF32}, {kF16, kF16, kF32}},
                     .outputs = {{kF16, kF32, kF32}},
                     .policy = MixPolicy::kWhite,
                     .cube = true};
  return ResolvePrecision(graph, options, MakeTarget({{"Conv2D", op}})).nodes[0];
}

TEST(ResolveCustom, AFreeTensorIsWhatTheModeWishesWhateverKeepDtypeAndTheListsSay) {
  const std::vector<std::pair<const char*, DType>> results = {{"force_fp16", kF16},
                                                              {"force_fp32", kF32},
                                                              {"allow_fp32_to_fp16", kF16},
                                                              {"must_keep_origin_dtype", kF32},
                                                              {"allow_mix_precision", kF16}};
  for (const auto& [mode, result] : results) {
    PrecisionOptions options = Options(mode, {{"conv", false, {kF16}, {}}});
    const NodePrecision alone = PartlyGiven(options);
    EXPECT_EQ(alone.inputs[0].dtype(), kF16) << mode;
    EXPECT_EQ(alone.outputs[0].dtype(), result) << mode;
    for (const char* line : {"conv", "OpType::Conv2D"}) {
      options.keep_dtype = {line};
      EXPECT_EQ(PartlyGiven(options), alone) << mode << ", keep " << line;
    }
  }
  PrecisionOptions mixed = Options("allow_mix_precision", {{"conv", false, {kF16}, {}}});
  const NodePrecision alone = PartlyGiven(mixed);
  const std::vector<std::string> conv = {"Conv2D"};
  for (const Mixlist& lists :
       {Mixlist{.white = {{}, conv}, .black = {conv, {}}}, Mixlist{.white = {{}, conv}}}) {
    mixed.modify_mixlist = lists;
    EXPECT_EQ(PartlyGiven(mixed), alone) << lists.black.to_add.size();
  }
}

TEST(ResolveCustom, GraylistFollowsIt) {
  const auto options = Options("allow_mix_precision", {{"exp", false, {}, {kF16}}});
  EXPECT_THAT(Resolved(options, ChainTarget(kAll, kAll)), ElementsAre(kF16, kF16, kF16));
}

struct BadCase {
  const char* name;
  CustomDTypes entry;
  const char* message;
};

class BadCustomEntry : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCustomEntry, IsRefused) {
  try {
    Resolved(Options("force_fp16", {GetParam().entry}), ChainTarget({kF16, kF32}, kAll));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Entries, BadCustomEntry,
    ::testing::Values(
        BadCase{"NoColumn",
                {"exp", false, {kBF16}, {}},
                "EZ3002: optype [Exp] is not supported by AiCore: custom dtype not supported: no "
                "column of the library agrees with the customize_dtypes line of 'exp'"},
        BadCase{"Contradiction", {"exp", false, {kF16}, {kF32}}, "custom dtype not supported"},
        BadCase{
            "TooManyInputs",
            {"exp", false, {kF16, kF16}, {}},
            "E10001: --customize_dtypes: the line of 'exp' has 2 items for inputs, but node 'exp' "
            "(Exp) has 1"},
        BadCase{"TooManyOutputs",
                {"exp", false, {}, {kFree, kF16}},
                "the line of 'exp' has 2 items for outputs, but node 'exp' (Exp) has 1"},
        BadCase{"UnknownName",
                {"exq", false, {kF16}, {}},
                "E10042: customize_dtypes lists 1 name that is not in the graph: 'exq' (close: "
                "'exp'"}),
    [](const auto& row) { return row.param.name; });

TEST(ResolveCustom, EntriesWithoutEffectAreNoted) {
  const auto options = Options(
      "force_fp16",
      {{"act", false, {kF32}, {}}, {"folded", false, {kF32}, {}}, {"Conv2D", true, {kF32}, {}}});
  EXPECT_THAT(ResolvePrecision(Chain(), options, ChainTarget(kAll, kAll)).warnings,
              ElementsAre(HasSubstr("customize_dtypes line of 'act' has no effect"),
                          HasSubstr("customize_dtypes line of 'folded' has no effect"),
                          "customize_dtypes line of 'OpType::Conv2D' matches no node"));
}

// What decides is named as the reason, not the line that gives nothing.
TEST(ResolveCustom, ALineWithoutDTypesDecidesNothing) {
  const PrecisionPlan plan = ResolvePrecision(
      Chain(), Options("force_fp32", {{"exp", false, {}, {}}, {"Relu", true, {}, {}}}),
      ChainTarget(kAll, kAll));
  EXPECT_THAT(plan.nodes[0].reason, HasSubstr("force_fp32"));
  EXPECT_THAT(plan.warnings,
              ElementsAre("customize_dtypes line of 'exp' gives no dtype, so it decides nothing",
                          "customize_dtypes line of 'OpType::Relu' gives no dtype, so it decides "
                          "nothing"));
}

TEST(ResolveCustom, TrainingIgnoresItWhereEverythingIsKept) {
  PrecisionOptions options = Options("must_keep_origin_dtype", {{"exp", false, {kF16}, {kF16}}});
  options.graph_run_mode = "1";
  const PrecisionPlan plan = ResolvePrecision(Chain(), options, ChainTarget(kAll, kAll));
  EXPECT_EQ(plan.node(0).compute_dtype(), kF32);
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("customize_dtypes is ignored: in training")));
}

}  // namespace
}  // namespace halftone
