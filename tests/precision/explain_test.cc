#include "src/precision/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/precision/resolve.h"
#include "tests/precision/graph_builder.h"

namespace halftone {
namespace {

using testing::GraphBuilder;
using testing::Homogeneous;
using testing::MakeTarget;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

Graph Network() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId conv =
      builder.Node(OpKind::kClip, "\u5377\u79ef", {x, kNoValue, builder.Constant("max")});
  const ValueId soft = builder.Node(OpKind::kSoftmax, "softmax", {conv});
  const ValueId ints =
      builder.Node(OpKind::kNeg, "neg", {builder.Input("i", DType::kInt64)}, DType::kInt64);
  return builder.Finish({soft, ints});
}

TargetSpec Target() {
  TargetSpec target = MakeTarget({{"ClipByValue", Homogeneous(3, {kF16, kF32}, MixPolicy::kWhite)},
                                  {"SoftmaxV2", Homogeneous(1, {kF16, kF32}, MixPolicy::kBlack)}});
  target.ai_core["SoftmaxV2"].impl_modes[kF32] = {ImplMode::kHighPrecision,
                                                  ImplMode::kHighPerformance};
  target.ai_cpu["Neg"] = AiCpuOp::Any(kAllDTypes);
  return target;
}

TEST(Explain, IsATableWithCountsAndWarnings) {
  PrecisionOptions options;
  options.precision_mode_v2 = "mixed_float16";
  options.keep_dtype = {"softmax", "OpType::Gelu"};
  const PrecisionPlan plan = ResolvePrecision(Network(), options, Target());
  const Explanation explanation = Explain(Network(), options, Target(), plan);
  EXPECT_EQ(FormatExplanation(explanation),
            // clang-format off
            "node     type         engine  inputs     outputs  implementation    reason\n"
            "\u5377\u79ef       ClipByValue  AiCore  f16,-,f16  f16      default           white list: float16\n"
            "softmax  SoftmaxV2    AiCore  f32        f32      high_performance  kept by keep_dtype line 'softmax'\n"
            "neg      Neg          AiCpu   s64        s64      default           AiCpu in the original dtypes: the type is not in its library\n"
            "allow_mix_precision: 3 nodes: 1 float32, 1 float16, 1 int64; 1 on AiCpu; 1 kept by keep_dtype\n"
            "warning: keep_dtype line 'OpType::Gelu' matches no node\n");
  // clang-format on
  EXPECT_EQ(explanation.nodes[1].kept_by, "softmax");
  EXPECT_EQ(explanation.nodes[0].kept_by, "");
  EXPECT_EQ(explanation.nodes[0].inputs[1], std::nullopt);
}

TEST(Explain, AKeepLineThatIsIgnoredKeepsNothing) {
  PrecisionOptions options;
  options.precision_mode = "must_keep_origin_dtype";
  options.keep_dtype = {"softmax"};
  const PrecisionPlan plan = ResolvePrecision(Network(), options, Target());
  EXPECT_EQ(Explain(Network(), options, Target(), plan).nodes[1].kept_by, "");
}

TEST(Explain, LongListsOfOneDTypeAreCounted) {
  Explanation explanation{.mode = "force_fp16", .nodes = {}, .warnings = {}};
  explanation.nodes.push_back({.node = "c",
                               .ir_type = "ConcatV2",
                               .inputs = std::vector<std::optional<DType>>(12, kF16),
                               .outputs = {kF16},
                               .compute = kF16,
                               .kept_by = {},
                               .reason = "r"});
  EXPECT_THAT(FormatExplanation(explanation), ::testing::HasSubstr("f16 x12"));
  EXPECT_THAT(FormatExplanation(explanation),
              ::testing::HasSubstr("force_fp16: 1 node: 1 float16\n"));
}

}  // namespace
}  // namespace halftone
