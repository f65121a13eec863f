// Nodes on quantised data keep the types of the model whatever the options say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/precision/files/customize_dtypes.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kS8 = DType::kInt8;
constexpr DType kU8 = DType::kUInt8;

// x -> QuantizeLinear -> DequantizeLinear -> Relu.
Graph RoundTrip() {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId scale = builder.Constant("scale");
  const ValueId zero = builder.Constant("zero", kU8);
  const ValueId q = builder.Node(OpKind::kQuantizeLinear, "q", {x, scale, zero}, kU8);
  const ValueId d = builder.Node(OpKind::kDequantizeLinear, "d", {q, scale, zero});
  return builder.Finish({builder.Node(OpKind::kRelu, "r", {d})});
}

TargetSpec Target() {
  const std::vector<DType> any = {kF16, kF32, kU8, kS8};
  return MakeTarget({{"AscendQuant", Homogeneous(3, any)},
                     {"AscendDequant", Homogeneous(3, any)},
                     {"Relu", Homogeneous(1, {kF16, kF32})}});
}

TEST(QuantizedNodesTest, KeepTheirTypesInEveryMode) {
  const Graph graph = RoundTrip();
  for (const char* mode : {"force_fp16", "allow_mix_precision", "must_keep_origin_dtype",
                           "allow_fp32_to_fp16", "force_fp32"}) {
    PrecisionOptions options;
    options.precision_mode = mode;
    const PrecisionPlan plan = ResolvePrecision(graph, options, Target());
    EXPECT_THAT(plan.nodes[0].inputs, ::testing::ElementsAre(kF32, kF32, kU8)) << mode;
    EXPECT_THAT(plan.nodes[0].outputs, ::testing::ElementsAre(kU8)) << mode;
    EXPECT_THAT(plan.nodes[1].inputs, ::testing::ElementsAre(kU8, kF32, kU8)) << mode;
    EXPECT_THAT(plan.nodes[1].outputs, ::testing::ElementsAre(kF32)) << mode;
    EXPECT_EQ(plan.nodes[0].reason, "quantised: keeps the types of the model") << mode;
  }
  PrecisionOptions lowered;
  lowered.precision_mode = "force_fp16";
  EXPECT_EQ(ResolvePrecision(graph, lowered, Target()).nodes[2].outputs[0], kF16);
}

TEST(QuantizedNodesTest, ALineOfCustomizeDTypesIsAWarning) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  options.customize_dtypes =
      ParseCustomDTypes("q::InputDtype:float16,float16,uint8\n", "c.cfg").entries;
  const PrecisionPlan plan = ResolvePrecision(RoundTrip(), options, Target());
  EXPECT_EQ(plan.nodes[0].inputs[0], kF32);
  EXPECT_THAT(plan.warnings,
              ::testing::Contains("customize_dtypes line of 'q' has no effect on 'q': AscendQuant "
                                  "has quantised operands and keeps the types of the model"));
}

}  // namespace
}  // namespace halftone
