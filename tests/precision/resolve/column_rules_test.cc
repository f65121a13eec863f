// Operators whose columns mix dtypes, the order in which inputs narrow them, and the graylist.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kS64 = DType::kInt64;

struct Column {
  DType in;
  DType out;
};

LibraryOp UnaryOp(const std::vector<Column>& columns, MixPolicy policy, bool cube) {
  LibraryOp op{.inputs = {{}}, .outputs = {{}}, .policy = policy, .cube = cube, .impl_modes = {}};
  for (const Column& column : columns) {
    op.inputs[0].push_back(column.in);
    op.outputs[0].push_back(column.out);
  }
  return op;
}

Graph OneRelu(DType original = kF32) {
  PlainGraphBuilder builder;
  return builder.Finish(
      {builder.Node(OpKind::kRelu, "op", {builder.Input("x", original)}, original)});
}

PrecisionOptions Mode(const char* mode, std::vector<std::string> keep = {}) {
  PrecisionOptions options;
  options.precision_mode = mode;
  options.keep_dtype = std::move(keep);
  return options;
}

// "f16->f32", or "error".
std::string Resolved(const Graph& graph, const PrecisionOptions& options,
                     const TargetSpec& target) {
  try {
    const PrecisionPlan plan = ResolvePrecision(graph, options, target);
    const NodePrecision& node = plan.nodes.back();
    if (node.engine == Engine::kAiCpu) {
      return "AiCpu";
    }
    return fmt::format("{}->{}", ShortNameOf(node.inputs.at(0)), ShortNameOf(node.outputs.at(0)));
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("EZ3003"));
    return "error";
  }
}

// The worked example: columns float16 -> float16 and float16 -> float32, original float32, white.
struct WorkedCase {
  const char* name;
  const char* mode;
  bool kept;
  const char* expected;
};

class WorkedExample : public ::testing::TestWithParam<WorkedCase> {};

TEST_P(WorkedExample, ResolvesAsListed) {
  const TargetSpec target =
      MakeTarget({{"Relu", UnaryOp({{kF16, kF16}, {kF16, kF32}}, MixPolicy::kWhite, true)}});
  const auto options = Mode(GetParam().mode, GetParam().kept ? std::vector<std::string>{"op"}
                                                             : std::vector<std::string>{});
  EXPECT_EQ(Resolved(OneRelu(), options, target), GetParam().expected);

  TargetSpec with_ai_cpu = target;
  with_ai_cpu.ai_cpu["Relu"] = AiCpuOp::Any(DTypeSet(kF32));
  const std::string expected = GetParam().expected;
  EXPECT_EQ(Resolved(OneRelu(), options, with_ai_cpu), expected == "error" ? "AiCpu" : expected);
}

TEST(Engine, TensorFlowKernelsServeWhatAiCpuDoesNot) {
  TargetSpec target = MakeTarget({});
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp16"), target), "error");
  target.ai_cpu["Relu"] = AiCpuOp::Any(DTypeSet(DType::kInt32));
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp16"), target), "error");
  target.tf_kernel["Relu"] = AiCpuOp::Any(DTypeSet(kF32));
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp16"), target), "AiCpu");
  target.ai_cpu.clear();
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp16"), target), "AiCpu");
}

INSTANTIATE_TEST_SUITE_P(
    Modes, WorkedExample,
    ::testing::Values(WorkedCase{"ForceFp16", "force_fp16", false, "f16->f16"},
                      WorkedCase{"ForceFp32", "force_fp32", false, "f16->f32"},
                      WorkedCase{"AllowFp16", "allow_fp32_to_fp16", false, "f16->f16"},
                      WorkedCase{"Origin", "must_keep_origin_dtype", false, "error"},
                      WorkedCase{"MixFp16", "allow_mix_precision", false, "f16->f16"},
                      WorkedCase{"MixBf16", "allow_mix_precision_bf16", false, "error"},
                      WorkedCase{"AllowBf16", "allow_fp32_to_bf16", false, "error"},
                      WorkedCase{"ForceFp16Kept", "force_fp16", true, "error"},
                      WorkedCase{"ForceFp32Kept", "force_fp32", true, "error"},
                      WorkedCase{"AllowFp16Kept", "allow_fp32_to_fp16", true, "error"},
                      WorkedCase{"MixFp16Kept", "allow_mix_precision", true, "error"},
                      WorkedCase{"MixBf16Kept", "allow_mix_precision_bf16", true, "error"},
                      WorkedCase{"AllowBf16Kept", "allow_fp32_to_bf16", true, "error"}),
    [](const auto& row) { return row.param.name; });

// force_fp32 on matrix operators, for every set of these columns in both orders.
TEST(ForceFp32Cube, EverySetOfColumns) {
  const std::vector<Column> all = {
      {kF16, kF16}, {kF16, kF32}, {kF32, kF32}, {kBF16, kBF16}, {kBF16, kF32}};
  for (unsigned set = 1; set < (1U << all.size()); ++set) {
    const auto has = [&](unsigned index) { return (set >> index & 1U) != 0; };
    const char* expected = has(1)   ? "f16->f32"
                           : has(2) ? "f32->f32"
                           : has(0) ? "f16->f16"
                                    : "error";
    std::vector<Column> columns;
    for (unsigned i = 0; i < all.size(); ++i) {
      if (has(i)) {
        columns.push_back(all[i]);
      }
    }
    for (const bool reversed : {false, true}) {
      if (reversed) {
        std::reverse(columns.begin(), columns.end());
      }
      for (const MixPolicy policy : {MixPolicy::kWhite, MixPolicy::kGray, MixPolicy::kBlack}) {
        TargetSpec target = MakeTarget({{"Relu", UnaryOp(columns, policy, true)}});
        EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp32"), target), expected) << "set " << set;
        target.ai_cpu["Relu"] =
            AiCpuOp::Any(kAllDTypes);  // the documented order does not end there
        EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp32"), target), expected) << "set " << set;
      }
    }
  }
}

TEST(ForceFp32Cube, IntegerMatrixOperatorsAreNotConcerned) {
  const TargetSpec target =
      MakeTarget({{"Relu", UnaryOp({{DType::kInt8, DType::kInt8}}, MixPolicy::kWhite, true)}});
  EXPECT_EQ(Resolved(OneRelu(DType::kInt8), Mode("force_fp32"), target), "s8->s8");
}

TEST(AllowFp32ToFp16, AfterAReductionLaterTensorsFollowForceFp16) {
  // Input float32 is reduced to float16; the output would keep float32 by its own rule, and takes
  // float16 because a tensor before it was reduced.
  const TargetSpec target =
      MakeTarget({{"Relu", UnaryOp({{kF16, kF32}, {kF16, kF16}}, MixPolicy::kGray, false)}});
  EXPECT_EQ(Resolved(OneRelu(), Mode("allow_fp32_to_fp16"), target), "f16->f16");
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp32"), target), "f16->f32");
}

// Graylist examples: an Add with columns float16 and float32 in a float32 model, mixed float16.
struct GrayCase {
  const char* name;
  const char* inputs;  // c: white Conv, s: black Softmax, x: graph input, w: constant, k: Cast of c
  const char* expected;
  const char* reason;
  std::vector<DType> dtypes = {kF16, kF32};
};

class Graylist : public ::testing::TestWithParam<GrayCase> {};

TEST_P(Graylist, FollowsItsProducers) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId w = builder.Constant("w");
  const ValueId conv = builder.Node(OpKind::kAbs, "conv", {x});
  const ValueId softmax = builder.Node(OpKind::kExp, "softmax", {x});
  const ValueId cast = builder.Node(OpKind::kCast, "cast", {conv});
  std::vector<ValueId> inputs;
  for (const char c : std::string_view(GetParam().inputs)) {
    inputs.push_back(c == 'c' ? conv : c == 's' ? softmax : c == 'x' ? x : c == 'w' ? w : cast);
  }
  const bool unary = inputs.size() == 1;
  const ValueId y = builder.Node(unary ? OpKind::kRelu : OpKind::kAdd, "op", inputs);
  const Graph graph = builder.Finish({y});
  const std::vector<DType> both = {kF16, kF32};
  const TargetSpec target = MakeTarget({{"Abs", Homogeneous(1, both, MixPolicy::kWhite)},
                                        {"Exp", Homogeneous(1, both, MixPolicy::kBlack)},
                                        {"Relu", Homogeneous(1, GetParam().dtypes)},
                                        {"Add", Homogeneous(2, GetParam().dtypes)}});
  EXPECT_EQ(Resolved(graph, Mode("allow_mix_precision"), target), GetParam().expected);
  EXPECT_EQ(ResolvePrecision(graph, Mode("allow_mix_precision"), target).nodes.back().reason,
            GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, Graylist,
    ::testing::Values(
        GrayCase{"WhiteProducer", "c", "f16->f16", "gray: follows 'conv' (float16)"},
        GrayCase{"WhiteThenBlack", "cs", "f16->f16", "gray: follows 'conv' (float16)"},
        GrayCase{"BlackThenWhite", "sc", "f32->f32", "gray: follows 'softmax' (float32)"},
        GrayCase{"BlackProducer", "s", "f32->f32", "gray: follows 'softmax' (float32)"},
        GrayCase{"WhiteAndConstant", "cw", "f16->f16", "gray: follows 'conv' (float16)"},
        GrayCase{"ConstantAndWhite", "wc", "f16->f16", "gray: follows 'conv' (float16)"},
        GrayCase{"GraphInputAndWhite", "xc", "f32->f32", "gray: follows graph input 'x' (float32)"},
        GrayCase{"GraphInput", "x", "f32->f32", "gray: follows graph input 'x' (float32)"},
        GrayCase{"Constant", "w", "f32->f32", "gray: follows constant 'w' (float32)"},
        GrayCase{"CastIsLookedThrough", "k", "f16->f16", "gray: follows 'conv' (float16)"},
        GrayCase{"CastButOnlyFloat32", "k", "f32->f32", "gray: follows 'conv' (float16)", {kF32}}),
    [](const auto& row) { return row.param.name; });

TEST(GraylistCasts, ABlackCastIsNotLookedThrough) {
  PlainGraphBuilder builder;
  const ValueId conv = builder.Node(OpKind::kAbs, "conv", {builder.Input("x")});
  const ValueId cast = builder.Node(OpKind::kCast, "cast", {conv});
  const Graph graph = builder.Finish({builder.Node(OpKind::kRelu, "op", {cast})});
  TargetSpec target = MakeTarget({{"Abs", Homogeneous(1, {kF16, kF32}, MixPolicy::kWhite)},
                                  {"Cast", Homogeneous(1, {kF16, kF32}, MixPolicy::kBlack)},
                                  {"Relu", Homogeneous(1, {kF16, kF32})}});
  EXPECT_EQ(Resolved(graph, Mode("allow_mix_precision"), target), "f32->f32");
  target.ai_core["Cast"].policy = MixPolicy::kGray;
  EXPECT_EQ(Resolved(graph, Mode("allow_mix_precision"), target), "f16->f16");
}

TEST(GraylistCasts, EachMixedModeLooksThroughItsOwnDTypeOnly) {
  // bfloat16 model tensors, cast to `to`, read by a gray operator.
  const auto resolve = [](const char* mode, DType from, DType to) {
    PlainGraphBuilder builder;
    const ValueId cast = builder.Node(OpKind::kCast, "cast", {builder.Input("x", from)}, to);
    const Graph graph = builder.Finish({builder.Node(OpKind::kRelu, "op", {cast}, to)});
    return Resolved(graph, Mode(mode), MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32, kBF16})}}));
  };
  EXPECT_EQ(resolve("allow_mix_precision", kF16, kF32), "f16->f16");
  EXPECT_EQ(resolve("allow_mix_precision", kF16, kBF16), "f16->f16");
  EXPECT_EQ(resolve("allow_mix_precision", kBF16, kF32), "f32->f32");
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kBF16, kF32), "bf16->bf16");
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kBF16, kF16), "bf16->bf16");
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kF16, kF32), "f32->f32");
}

TEST(Casts, TakeWhatTheirProducerResolvedToAndKeepWhatTheyDeclare) {
  PlainGraphBuilder builder;
  const ValueId conv = builder.Node(OpKind::kAbs, "conv", {builder.Input("x")});
  const Graph graph = builder.Finish({builder.Node(OpKind::kCast, "cast", {conv}, kS64)});
  const TargetSpec target = MakeTarget({{"Abs", Homogeneous(1, {kF16, kF32})}});
  EXPECT_EQ(Resolved(graph, Mode("force_fp16"), target), "f16->s64");
  EXPECT_EQ(Resolved(graph, Mode("must_keep_origin_dtype"), target), "f32->s64");
}

// 5.4: the lowest-index input that is not constant wins, whatever stands before it.
TEST(InputOrder, ComputedInputsComeBeforeConstantsAndUnconnectedOnes) {
  PlainGraphBuilder builder;
  const ValueId conv = builder.Node(OpKind::kAbs, "conv", {builder.Input("x")});
  const ValueId y = builder.Node(OpKind::kWhere, "op",
                                 {builder.Constant("w"), builder.Dangling("nothing"), conv});
  const Graph graph = builder.Finish({y});
  TargetSpec target = MakeTarget({{"Abs", Homogeneous(1, {kF16, kF32}, MixPolicy::kWhite)},
                                  {"Select", Homogeneous(3, {kF32, kF16})}});
  EXPECT_EQ(Resolved(graph, Mode("allow_mix_precision"), target), "f16->f16");
}

TEST(Operands, OptionalAbsentInputsAreSkipped) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const Graph graph =
      builder.Finish({builder.Node(OpKind::kClip, "op", {x, kNoValue, builder.Constant("max")})});
  LibraryOp op = Homogeneous(3, {kF16, kF32});
  op.inputs[1] = {DType::kInt8, DType::kInt8};  // would refuse a float32 operand
  const PrecisionPlan plan =
      ResolvePrecision(graph, Mode("force_fp16"), MakeTarget({{"ClipByValue", op}}));
  EXPECT_EQ(plan.nodes[0].inputs, (std::vector<NumericFormat>{kF16, kF16, kF16}));
}

TEST(Operands, ShapeOperandsKeepTheirExactType) {
  PlainGraphBuilder builder;
  const Graph graph = builder.Finish({builder.Node(
      OpKind::kGather, "op", {builder.Input("x"), builder.Constant("indices", kS64)})});
  LibraryOp op{.inputs = {{kF16, kF16, kF32, kF32}, {DType::kInt32, kS64, DType::kInt32, kS64}},
               .outputs = {{kF16, kF16, kF32, kF32}},
               .impl_modes = {}};
  const PrecisionPlan plan =
      ResolvePrecision(graph, Mode("force_fp16"), MakeTarget({{"GatherV2", op}}));
  EXPECT_EQ(plan.nodes[0].inputs, (std::vector<NumericFormat>{kF16, kS64}));
  EXPECT_EQ(plan.nodes[0].outputs, (std::vector<NumericFormat>{kF16}));
}

TEST(Operands, AnyTypeOperandsAreLeftAsTheyAre) {
  PlainGraphBuilder builder;
  const Graph graph = builder.Finish({builder.Node(
      OpKind::kRange, "op",
      {builder.Constant("start"), builder.Constant("limit"), builder.Constant("delta")})});
  const TargetSpec target = MakeTarget({{"Range", Homogeneous(3, {kF16, kF32})}});
  EXPECT_EQ(Resolved(graph, Mode("force_fp16"), target), "f32->f32");
}

TEST(Operands, AListRepeatsItsLastEntry) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const Graph graph = builder.Finish({builder.Node(OpKind::kConcat, "op", {x, x, x, x})});
  LibraryOp op = Homogeneous(1, {kF16, kF32});
  TargetSpec target = MakeTarget({{"ConcatV2", op}});
  EXPECT_EQ(Resolved(graph, Mode("force_fp16"), target), "error");
  target.ai_core["ConcatV2"].inputs_repeat = true;
  EXPECT_EQ(ResolvePrecision(graph, Mode("force_fp16"), target).nodes[0].inputs,
            std::vector<NumericFormat>(4, kF16));
}

TEST(Operands, DoubleIsNeverRaisedToOrLowered) {
  const TargetSpec target = MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32, DType::kFloat64})}});
  for (const char* mode : {"force_fp16", "force_fp32", "allow_fp32_to_fp16", "allow_mix_precision",
                           "must_keep_origin_dtype", "allow_fp32_to_bf16"}) {
    EXPECT_EQ(Resolved(OneRelu(DType::kFloat64), Mode(mode), target), "f64->f64") << mode;
  }
  const TargetSpec without = MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32})}});
  EXPECT_EQ(Resolved(OneRelu(DType::kFloat64), Mode("force_fp16"), without), "error");
}

TEST(Engines, ATypeTheLibraryDoesNotHaveGoesToAiCpuOrFails) {
  TargetSpec target = MakeTarget({});
  EXPECT_EQ(Resolved(OneRelu(), Mode("force_fp16"), target), "error");
  target.ai_cpu["Relu"] = AiCpuOp::Any(DTypeSet(kF32));
  const PrecisionPlan plan = ResolvePrecision(OneRelu(), Mode("force_fp16"), target);
  EXPECT_EQ(plan.nodes[0].engine, Engine::kAiCpu);
  EXPECT_EQ(plan.nodes[0].inputs, (std::vector<NumericFormat>{kF32}));
  EXPECT_EQ(plan.nodes[0].reason, "AiCpu in the original dtypes: the type is not in its library");
}

TEST(Reasons, NameTheRule) {
  const TargetSpec target = MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32}, MixPolicy::kWhite)}});
  const auto reason = [&](const PrecisionOptions& options) {
    return ResolvePrecision(OneRelu(), options, target).nodes[0].reason;
  };
  EXPECT_EQ(reason(Mode("force_fp16")), "force_fp16: float16");
  EXPECT_EQ(reason(Mode("allow_mix_precision")), "white list: float16");
  EXPECT_EQ(reason(Mode("force_fp16", {"op"})), "kept by keep_dtype line 'op'");
  EXPECT_EQ(reason(Mode("force_fp16", {"OpType::Relu"})), "kept by keep_dtype line 'OpType::Relu'");
}

}  // namespace
}  // namespace halftone
