// Implementation modes: priorities, the built-in tables, and what a target does not offer.
#include "src/precision/resolve/impl_mode_choice.h"

#include <fmt/format.h>
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
constexpr DType kF32 = DType::kFloat32;
constexpr ImplMode kFast = ImplMode::kHighPerformance;
constexpr ImplMode kExact = ImplMode::kHighPrecision;

// Three operators with both modes in float16 only, high_precision the default: Exp and Tanh stand
// in the built-in tables, Relu does not.
TargetSpec Target() {
  LibraryOp op = Homogeneous(1, {kF16, kF32});
  op.impl_modes[kF16] = {kExact, kFast};
  op.impl_modes[kF32] = {kExact};  // one implementation
  return MakeTarget({{"Exp", op}, {"Tanh", op}, {"Relu", op}, {"Abs", Homogeneous(1, {kF16})}});
}

Graph Network() {
  PlainGraphBuilder builder;
  const ValueId exp =
      builder.Node(OpKind::kExp, "exp", {builder.Input("x")}, kF32, {{"fused", "Mul"}});
  const ValueId tanh = builder.Node(OpKind::kTanh, "tanh", {exp});
  const ValueId relu = builder.Node(OpKind::kRelu, "relu", {tanh});
  return builder.Finish({builder.Node(OpKind::kAbs, "abs", {relu})});
}

struct Case {
  const char* name;
  PrecisionOptions options;
  std::vector<ImplMode> expected;  // exp, tanh, relu; abs is always kDefault
  std::vector<const char*> warnings = {};
};

PrecisionOptions Select(const char* mode, std::vector<std::string> types = {}) {
  PrecisionOptions options;
  options.op_select_implmode = mode;
  options.optypelist_for_implmode = std::move(types);
  return options;
}

PrecisionOptions File(std::map<std::string, ImplMode> by_type,
                      std::map<std::string, ImplMode> by_node = {}) {
  PrecisionOptions options;
  options.op_precision_given = true;
  options.impl_mode_by_type = std::move(by_type);
  options.impl_mode_by_node = std::move(by_node);
  return options;
}

PrecisionOptions FileAndSelect() {
  PrecisionOptions options = File({{"Relu", kFast}});
  options.op_select_implmode = "high_performance";
  return options;
}

PrecisionOptions FileAndListOnly() {
  PrecisionOptions options = File({});
  options.optypelist_for_implmode = {"Exp"};
  return options;
}

PrecisionOptions NotFlagged() {
  PrecisionOptions options = File({{"Exp", kFast}});
  options.op_precision_given = false;
  return options;
}

PrecisionOptions InFloat32(PrecisionOptions options) {
  options.precision_mode = "must_keep_origin_dtype";
  return options;
}

class ImplModes : public ::testing::TestWithParam<Case> {};

TEST_P(ImplModes, Resolve) {
  PrecisionOptions options = GetParam().options;
  if (options.precision_mode.empty()) {
    options.precision_mode = "force_fp16";
  }
  TargetSpec target = Target();
  if (options.precision_mode != "force_fp16") {
    target.ai_core["Abs"] = Homogeneous(1, {kF32});
  }
  const PrecisionPlan plan = ResolvePrecision(Network(), options, target);
  for (std::size_t n = 0; n < GetParam().expected.size(); ++n) {
    EXPECT_EQ(NameOf(plan.nodes[n].impl_mode), NameOf(GetParam().expected[n])) << n;
  }
  EXPECT_EQ(plan.nodes[3].impl_mode, ImplMode::kDefault);
  ASSERT_EQ(plan.warnings.size(), GetParam().warnings.size());
  for (std::size_t i = 0; i < plan.warnings.size(); ++i) {
    EXPECT_THAT(plan.warnings[i], HasSubstr(GetParam().warnings[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Priorities, ImplModes,
    ::testing::Values(
        Case{"NothingIsHighPerformance", {}, {kFast, kExact, kExact}},
        Case{"HighPerformance", Select("high_performance"), {kFast, kExact, kExact}},
        Case{"HighPrecision", Select("high_precision"), {kExact, kExact, kExact}},
        Case{"HighPerformanceForAll", Select("high_performance_for_all"), {kFast, kFast, kExact}},
        Case{"HighPrecisionForAll", Select("high_precision_for_all"), {kExact, kExact, kExact}},
        Case{
            "ListedTypesOnly", Select("high_performance", {"Tanh", "Relu"}), {kFast, kFast, kFast}},
        Case{"OthersThanTheListedTypeStayAsTheyWere",
             Select("high_precision", {"Tanh"}),
             {kFast, kExact, kExact}},
        Case{"ListWithForAllIsIgnored",
             Select("high_performance_for_all", {"Relu"}),
             {kFast, kFast, kExact},
             {"--optypelist_for_implmode is ignored"}},
        Case{"EmptyFileChangesNothing", File({}), {kFast, kExact, kExact}},
        Case{"ByType", File({{"Exp", kFast}, {"Relu", kFast}}), {kFast, kExact, kFast}},
        Case{"OthersThanTheTypeOfAFileStayAsTheyWere",
             File({{"Tanh", kFast}}),
             {kFast, kFast, kExact}},
        Case{"NodeBeatsType", File({{"Exp", kFast}}, {{"exp", kExact}}), {kExact, kExact, kExact}},
        Case{"FusedNodeByOriginName", File({}, {{"fused", kFast}}), {kFast, kExact, kExact}},
        Case{"FileBeatsSelect",
             FileAndSelect(),
             {kFast, kExact, kFast},
             {"ignored because --op_precision_mode is given"}},
        Case{"FileAndListWithoutSelect",
             FileAndListOnly(),
             {kFast, kExact, kExact},
             {"ignored because --op_precision_mode is given"}},
        Case{"MapsWithoutTheFlagAreAFile", NotFlagged(), {kFast, kExact, kExact}},
        Case{"OneImplementationIsDefault",
             InFloat32(File({{"Exp", kFast}})),
             {ImplMode::kDefault, ImplMode::kDefault, ImplMode::kDefault}},
        Case{"AModeTheOperatorDoesNotHave",
             File({{"Exp", ImplMode::kKeepFp16}}),
             {kFast, kExact, kExact},
             {"node 'exp' (Exp) has no keep_fp16 implementation in float16; high_performance is "
              "used"}},
        Case{"ATypeWithOneImplementationIsNoWarning",
             File({{"Abs", kFast}}),
             {kFast, kExact, kExact}},
        Case{"UnknownNode",
             File({}, {{"tanj", kFast}}),
             {kFast, kExact, kExact},
             {"[ByNodeName] lists 'tanj', which is not in the graph; did you mean 'tanh'?"}}),
    [](const auto& row) { return row.param.name; });

struct BadCase {
  const char* name;
  PrecisionOptions options;
  const char* message;
};

PrecisionOptions ListOnly() {
  PrecisionOptions options;
  options.optypelist_for_implmode = {"Exp", "Tanh"};
  return options;
}

class BadImplModes : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadImplModes, AreRefused) {
  try {
    ResolvePrecision(Network(), GetParam().options, Target());
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadImplModes,
    ::testing::Values(
        BadCase{"UnknownSelect", Select("fastest"),
                "E10001: --op_select_implmode has the value 'fastest', which is none of: "
                "high_performance, high_precision, high_performance_for_all, "
                "high_precision_for_all"},
        BadCase{"ListWithoutSelect", ListOnly(),
                "E10001: --optypelist_for_implmode has the value 'Exp,Tanh' without "
                "--op_select_implmode"},
        BadCase{"DefaultIsNoMode", File({{"Exp", ImplMode::kDefault}}),
                "E10001: --op_precision_mode: 'Exp' has the mode 'default'"}),
    [](const auto& row) { return row.param.name; });

// The kernel's dtype is that of the operand marked "T", also where another operand is a float.
TEST(ImplModes, AreChosenByTheOperandThatCarriesThePrecision) {
  PlainGraphBuilder builder;
  const DType u8 = DType::kUInt8;
  const Graph graph = builder.Finish(
      {builder.Node(OpKind::kResize, "resize",
                    {builder.Input("x", u8), kNoValue, builder.Constant("scales")}, u8)});
  LibraryOp op{.inputs = {{u8, kF32}, {kF32, kF32}, {kF32, kF32}},
               .outputs = {{u8, kF32}},
               .impl_modes = {{kF32, {kExact, kFast}}}};
  EXPECT_EQ(ResolvePrecision(graph, {}, MakeTarget({{"Resize", op}})).nodes[0].impl_mode,
            ImplMode::kDefault);
}

TEST(ImplModes, TypesThatTheTargetDoesNotHaveAreNoted) {
  PlainGraphBuilder builder;
  const Graph graph = builder.Finish({builder.Node(OpKind::kExp, "e", {builder.Input("x")})});
  const TargetSpec target = MakeTarget(
      {{"Exp", Homogeneous(1, {kF16, kF32})}, {"SoftmaxV2", Homogeneous(1, {kF16, kF32})}});
  PrecisionOptions options;
  options.op_precision_given = true;
  options.impl_mode_by_type = {{"SoftmaxV2", kExact}, {"SoftmaxV3", kExact}, {"Xyz", kExact}};
  EXPECT_THAT(ResolvePrecision(graph, options, target).warnings,
              ::testing::ElementsAre(
                  "--op_precision_mode: [ByOpType] lists operator types that test does not have: "
                  "'SoftmaxV3' (did you mean 'SoftmaxV2'?), 'Xyz'"));
  PrecisionOptions list;
  list.op_select_implmode = "high_precision";
  list.optypelist_for_implmode = {"SoftmaxV2", "SoftmxV2"};
  EXPECT_THAT(ResolvePrecision(graph, list, target).warnings,
              ::testing::ElementsAre("--optypelist_for_implmode lists an operator type that test "
                                     "does not have: 'SoftmxV2' (did you mean 'SoftmaxV2'?)"));
}

std::vector<ImplMode> ModesOf(const PrecisionOptions& options, const TargetSpec& target) {
  std::vector<ImplMode> modes;
  for (const NodePrecision& node : ResolvePrecision(Network(), options, target).nodes) {
    modes.push_back(node.impl_mode);
  }
  return modes;
}

// The other tables stay those that are built in, and what they do not list has the default.
TEST(ImplModes, TablesOfAnInstallationWinOverThoseBuiltIn) {
  TargetSpec target = Target();
  target.impl_mode_files["high_performance"] = {{"Relu", kFast}};
  using ::testing::ElementsAre;
  EXPECT_THAT(ModesOf({}, target), ElementsAre(kExact, kExact, kFast, ImplMode::kDefault));
  EXPECT_EQ(ModesOf(Select("high_performance"), target), ModesOf({}, target));
  EXPECT_THAT(ModesOf(Select("high_performance_for_all"), target),
              ElementsAre(kFast, kFast, kFast, ImplMode::kDefault));
  EXPECT_THAT(ModesOf(Select("high_precision"), target),
              ElementsAre(kExact, kExact, kFast, ImplMode::kDefault));
}

TEST(ImplModes, AllowHf32HasATableOfTheInstallationToo) {
  LibraryOp op = Homogeneous(1, {kF32});
  op.impl_modes[kF32] = {ImplMode::kEnableFloat32Execution, ImplMode::kEnableHiFloat32Execution};
  TargetSpec target = MakeTarget({{"Exp", op}, {"Tanh", op}, {"Relu", op}, {"Abs", op}});
  target.has_hf32 = true;
  target.impl_mode_files["allow_hf32_matmul_t_conv_t"] = {
      {"Tanh", ImplMode::kEnableHiFloat32Execution}};
  EXPECT_EQ(ModesOf({.allow_hf32 = "true"}, target)[1], ImplMode::kEnableHiFloat32Execution);
  EXPECT_EQ(ModesOf({.allow_hf32 = "false"}, target)[1], ImplMode::kEnableFloat32Execution);
}

// The policy of the public description of the four files.
TEST(BuiltinImplModes, FollowTheDescribedPolicy) {
  using enum BuiltinImplModes;
  for (const auto plain : {kHighPerformance, kHighPrecision}) {
    for (const char* type : {"Conv2D", "DepthwiseConv2D", "MatMulV2", "BatchMatMulV2", "Relu"}) {
      EXPECT_EQ(BuiltinImplModeOf(plain, type), std::nullopt) << type;
    }
  }
  for (const char* type : {"Gelu", "Sigmoid", "Tanh", "GatherV2"}) {
    EXPECT_EQ(BuiltinImplModeOf(kHighPerformance, type), kExact) << type;
  }
  EXPECT_EQ(BuiltinImplModeOf(kHighPerformance, "SoftmaxV2"), kFast);
  EXPECT_EQ(BuiltinImplModeOf(kHighPerformanceForAll, "GatherV2"), kExact);
  EXPECT_EQ(BuiltinImplModeOf(kHighPerformanceForAll, "Conv2D"),
            ImplMode::kEnableHiFloat32Execution);
  EXPECT_EQ(BuiltinImplModeOf(kHighPrecisionForAll, "DepthwiseConv2D"),
            ImplMode::kEnableFloat32Execution);
  // The exact file is exact but for six types, and nobody is left out of the *_for_all files.
  std::vector<std::string> fast;
  for (const auto& [type, mode] : BuiltinFile("high_precision")) {
    if (mode != kExact) {
      fast.push_back(type);
    }
  }
  EXPECT_THAT(fast, ::testing::ElementsAre("MishGrad", "ReduceLogSum", "ReduceLogSumExp",
                                           "ReduceMeanWithCount", "ReluGradV2", "SoftShrink"));
  for (const auto& [type, mode] : BuiltinFile("high_performance")) {
    EXPECT_TRUE(BuiltinImplModeOf(kHighPrecisionForAll, type).has_value()) << type;
    EXPECT_TRUE(BuiltinImplModeOf(kHighPerformanceForAll, type).has_value()) << type;
  }
}

// Every file is found by its name, is clean, and can be given to --op_precision_mode as it is.
TEST(BuiltinImplModes, AreFilesThatReadBack) {
  for (const auto& row : kBuiltinImplModes) {
    EXPECT_GT(BuiltinFile(row.name).size(), 20U) << row.name;
  }
  for (const bool matmul : {false, true}) {
    for (const bool conv : {false, true}) {
      const auto& file = BuiltinFile(
          fmt::format("allow_hf32_matmul_{}_conv_{}", matmul ? 't' : 'f', conv ? 't' : 'f'));
      const auto mode_of = [](bool hf32) {
        return hf32 ? ImplMode::kEnableHiFloat32Execution : ImplMode::kEnableFloat32Execution;
      };
      EXPECT_EQ(file.at("Conv2D"), mode_of(conv));
      EXPECT_EQ(file.at("Conv3DTranspose"), mode_of(conv));
      EXPECT_EQ(file.at("BatchMatMulV2"), mode_of(matmul));
      EXPECT_EQ(file.at("GEMM"), mode_of(matmul));
      EXPECT_EQ(file.size(), 24U);
    }
  }
}

}  // namespace
}  // namespace halftone
