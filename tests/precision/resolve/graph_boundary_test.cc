// --output_type, --input_fp16_nodes and the options with two values.
#include "src/precision/resolve/graph_boundary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Homogeneous;
using ::testing::IsEmpty;
using testing::MakeTarget;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kS64 = DType::kInt64;

// image -> relu -> out 0; index -> abs -> out 1 (integers).
Graph TwoOutputs() {
  testing::PlainGraphBuilder builder;
  const ValueId image = builder.Input("image");
  const ValueId index = builder.Input("index", kS64);
  const ValueId relu = builder.Node(OpKind::kRelu, "a:b/relu", {image}, kF32, {{"clip", "Clip"}});
  const ValueId abs = builder.Node(OpKind::kAbs, "abs", {index}, kS64);
  return builder.Finish({relu, abs});
}

TargetSpec Target() {
  return MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32})}, {"Abs", Homogeneous(1, {kS64})}});
}

PrecisionOptions OutputType(const char* value) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  options.output_type = value;
  return options;
}

TEST(OutputType, IsEmptyWhereItIsNotGiven) {
  const PrecisionPlan plan = ResolvePrecision(TwoOutputs(), OutputType(""), Target());
  EXPECT_THAT(plan.graph_inputs, IsEmpty());
  EXPECT_THAT(plan.graph_outputs, IsEmpty());
}

TEST(OutputType, OneTypeForAllFloatingOutputs) {
  const PrecisionPlan plan = ResolvePrecision(TwoOutputs(), OutputType("UINT8"), Target());
  EXPECT_THAT(plan.graph_outputs, ElementsAre(DType::kUInt8, kS64));
  EXPECT_THAT(plan.warnings, ElementsAre("--output_type=UINT8: output 'abs:0' stays int64"));
}

TEST(OutputType, SingleOutputsByAnyNameOfTheNode) {
  for (const char* value : {"a:b/relu:0:FP16", "clip:0:FP16", "clip:0:FP16;abs:0:INT8"}) {
    const PrecisionPlan plan = ResolvePrecision(TwoOutputs(), OutputType(value), Target());
    EXPECT_EQ(plan.graph_outputs[0], kF16) << value;
    EXPECT_THAT(plan.warnings, IsEmpty());
  }
}

struct BadCase {
  const char* name;
  const char* value;
  const char* message;
};

class BadOutputType : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadOutputType, IsRefused) {
  try {
    ResolvePrecision(TwoOutputs(), OutputType(GetParam().value), Target());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), std::string(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadOutputType,
    ::testing::Values(
        BadCase{"UnknownType", "FP64",
                "E10001: --output_type=FP64: expected FP32, FP16, UINT8 or INT8, or items "
                "'node:index:type' separated by ';', found 'FP64'"},
        BadCase{"LowerCase", "abs:0:fp16",
                "E10001: --output_type=abs:0:fp16: expected FP32, FP16, UINT8 or INT8, found "
                "'fp16' in 'abs:0:fp16'"},
        BadCase{"NoIndex", "abs:FP16",
                "E10001: --output_type=abs:FP16: expected FP32, FP16, UINT8 or INT8, or items "
                "'node:index:type' separated by ';', found 'abs:FP16'"},
        BadCase{"BadIndex", "abs:x:FP16",
                "E10001: --output_type=abs:x:FP16: expected the index of an output, found 'x' in "
                "'abs:x:FP16'"},
        BadCase{"HugeIndex", "abs:99999999999999999999:FP16",
                "E10001: --output_type=abs:99999999999999999999:FP16: expected the index of an "
                "output, found '99999999999999999999' in 'abs:99999999999999999999:FP16'"},
        BadCase{"NoSuchIndex", "abs:1:FP16",
                "E10001: --output_type=abs:1:FP16: 'abs:1' is no output of the graph; it has: "
                "'a:b/relu:0', 'abs:0'"},
        BadCase{"NoSuchNode", "add:0:FP16",
                "E10001: --output_type=add:0:FP16: 'add:0' is no output of the graph; it has: "
                "'a:b/relu:0', 'abs:0'"},
        BadCase{"Twice", "clip:0:FP16;a:b/relu:0:FP32",
                "E10001: --output_type=clip:0:FP16;a:b/relu:0:FP32: 'a:b/relu:0' is given twice"},
        BadCase{"EmptyItem", "abs:0:FP16;",
                "E10001: --output_type=abs:0:FP16;: expected FP32, FP16, UINT8 or INT8, or items "
                "'node:index:type' separated by ';', found an item with nothing in it"}),
    [](const auto& row) { return row.param.name; });

PrecisionOptions InputNodes(std::vector<std::string> names) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  options.input_fp16_nodes = std::move(names);
  return options;
}

TEST(InputFp16Nodes, GraylistFollowsTheInput) {
  EXPECT_EQ(ResolvePrecision(TwoOutputs(), InputNodes({}), Target()).node(0).compute_dtype(), kF32);
  const PrecisionPlan plan = ResolvePrecision(TwoOutputs(), InputNodes({"image"}), Target());
  EXPECT_THAT(plan.graph_inputs, ElementsAre(kF16, kS64));
  EXPECT_EQ(plan.node(0).compute_dtype(), kF16);
  EXPECT_EQ(plan.node(0).reason, "gray: follows graph input 'image' (float16)");
}

TEST(InputFp16Nodes, RefusesOtherNames) {
  for (const auto& [name, message] :
       {std::pair("picture",
                  "E10001: --input_fp16_nodes=picture: the graph has no such input; it has: image, "
                  "index"),
        std::pair("index",
                  "E10001: --input_fp16_nodes=index: expected an input of floats, found int64")}) {
    try {
      ResolvePrecision(TwoOutputs(), InputNodes({name}), Target());
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string(message));
    }
  }
}

TEST(Flags, ReachThePlan) {
  PrecisionOptions options;
  PrecisionPlan plan = ResolvePrecision(TwoOutputs(), options, Target());
  EXPECT_TRUE(plan.clip_weights);
  EXPECT_FALSE(plan.record_overflow);
  const Hash128 digest = plan.Digest();
  options.is_weight_clip = "0";
  options.status_check = "1";
  TargetSpec saturating = Target();
  saturating.overflow = OverflowArithmetic::kSaturate;
  plan = ResolvePrecision(TwoOutputs(), options, saturating);
  EXPECT_FALSE(plan.clip_weights);
  EXPECT_TRUE(plan.record_overflow);
  EXPECT_EQ(plan.overflow, OverflowArithmetic::kSaturate);
  EXPECT_NE(plan.Digest(), digest);
  for (std::string PrecisionOptions::*field :
       {&PrecisionOptions::is_weight_clip, &PrecisionOptions::status_check}) {
    PrecisionOptions bad;
    bad.*field = "true";
    EXPECT_THROW(ResolvePrecision(TwoOutputs(), bad, Target()), Error);
  }
}

// ---- allow_hf32 ---------------------------------------------------------------------------------

TargetSpec Hf32Target() {
  const std::vector<ImplMode> conv = {ImplMode::kEnableHiFloat32Execution,
                                      ImplMode::kEnableFloat32Execution};
  LibraryOp op = Homogeneous(2, {kF16, kF32}, MixPolicy::kWhite, true);
  op.impl_modes[kF32] = conv;
  TargetSpec target = MakeTarget({{"Conv2D", op}});
  op.impl_modes[kF32] = {conv[1], conv[0]};
  target.ai_core.emplace("BatchMatMulV2", op);
  target.has_hf32 = true;
  return target;
}

struct Hf32Case {
  const char* value;
  const char* conv;  // t: HF32, f: float32
  const char* matmul;
};

TEST(AllowHf32, EveryValue) {
  testing::PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId conv = builder.Node(OpKind::kConv, "conv", {x, builder.Constant("w")});
  const Graph graph =
      builder.Finish({builder.Node(OpKind::kMatMul, "matmul", {conv, builder.Constant("v")})});
  for (const Hf32Case& row :
       {Hf32Case{"", "t", "f"}, Hf32Case{"true", "t", "t"}, Hf32Case{"false", "f", "f"},
        Hf32Case{"1", "t", "t"}, Hf32Case{"0", "f", "f"}, Hf32Case{"00", "f", "f"},
        Hf32Case{"01", "f", "t"}, Hf32Case{"10", "t", "f"}, Hf32Case{"11", "t", "t"}}) {
    SCOPED_TRACE(row.value);
    const auto mode_of = [](const char* cell) {
      return *cell == 't' ? ImplMode::kEnableHiFloat32Execution : ImplMode::kEnableFloat32Execution;
    };
    PrecisionOptions options;
    options.precision_mode = "must_keep_origin_dtype";
    options.allow_hf32 = row.value;
    const PrecisionPlan plan = ResolvePrecision(graph, options, Hf32Target());
    EXPECT_EQ(plan.node(0).impl_mode, mode_of(row.conv));
    EXPECT_EQ(plan.node(1).impl_mode, mode_of(row.matmul));
    EXPECT_THAT(plan.warnings, IsEmpty());
    // It beats [ByOpType], and [ByNodeName] beats it.
    options.op_precision_given = true;
    options.impl_mode_by_type["Conv2D"] = ImplMode::kEnableFloat32Execution;
    options.impl_mode_by_node["matmul"] = ImplMode::kEnableHiFloat32Execution;
    const PrecisionPlan with_ini = ResolvePrecision(graph, options, Hf32Target());
    EXPECT_EQ(with_ini.node(0).impl_mode,
              *row.value == '\0' ? ImplMode::kEnableFloat32Execution : mode_of(row.conv));
    EXPECT_EQ(with_ini.node(1).impl_mode, ImplMode::kEnableHiFloat32Execution);
    // Only where the tensors are float32.
    options.precision_mode = "force_fp16";
    options.impl_mode_by_node.clear();
    options.impl_mode_by_type.clear();
    EXPECT_EQ(ResolvePrecision(graph, options, Hf32Target()).node(0).impl_mode, ImplMode::kDefault);
  }
}

TEST(AllowHf32, OtherTargetsIgnoreItWithAWarning) {
  PrecisionOptions options;
  options.allow_hf32 = "true";
  EXPECT_THAT(ResolvePrecision(TwoOutputs(), options, Target()).warnings,
              ElementsAre("--allow_hf32=true has no effect: test has no HF32"));
  options.allow_hf32 = "yes";
  try {
    ResolvePrecision(TwoOutputs(), options, Target());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "E10005: --allow_hf32 has the value 'yes', which is none of: true, false, 0, 1, "
                 "00, 01, 10, 11 (convolutions, then matrix products)");
  }
}

// ---- operators without a kernel file ------------------------------------------------------------

TEST(NoKernelFile, FollowsItsProducerInEveryModeButForceFp16) {
  testing::PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId exp = builder.Node(OpKind::kExp, "exp", {x});
  const Graph graph = builder.Finish({builder.Node(OpKind::kRelu, "relu", {exp})});
  LibraryOp relu = Homogeneous(1, {kF32, kF16, DType::kBFloat16}, MixPolicy::kBlack);
  relu.has_kernel_file = false;
  // Float16 only, so what follows it is float16 unless its own original decides.
  TargetSpec target = MakeTarget({{"Exp", Homogeneous(1, {kF16}, MixPolicy::kWhite)}});
  target.ai_core.emplace("Relu", relu);
  for (const auto& [mode, expected] :
       {std::pair("force_fp16", kF16), std::pair("force_fp32", kF16),
        std::pair("allow_fp32_to_fp16", kF16), std::pair("allow_mix_precision", kF16)}) {
    PrecisionOptions options;
    options.precision_mode = mode;
    EXPECT_EQ(ResolvePrecision(graph, options, target).node(1).compute_dtype(), expected) << mode;
  }
  target.ai_core["Relu"].has_kernel_file = true;
  for (const auto& [mode, expected] :
       {std::pair("force_fp16", kF16), std::pair("force_fp32", kF32),
        std::pair("allow_fp32_to_fp16", kF32), std::pair("allow_mix_precision", kF32)}) {
    PrecisionOptions options;
    options.precision_mode = mode;
    EXPECT_EQ(ResolvePrecision(graph, options, target).node(1).compute_dtype(), expected) << mode;
  }
}

}  // namespace
}  // namespace halftone
