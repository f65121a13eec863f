// A device whose products take no float32 refuses every product that a plan keeps in float32, those
// of attention too, which the host runs as one step.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/fused_precision_check.h"
#include "tests/support/net.h"
#include "tests/support/plan_of_node.h"

namespace halftone {
namespace {

using testing::DTypesOf;
using testing::NodeOf;
using testing::TargetOf;

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;
using testing::With;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

std::string RefusalOf(const Graph& graph, const PrecisionOptions& options) {
  try {
    ResolvePrecision(graph, options, TargetOf("Ascend310P3"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.what();
  }
  return "accepted";
}

// Products alone: the convolutions of Attention() are refused before them.
Graph AttentionOfInputs() {
  Net net;
  const ValueId q = net.Input("q", {2, 3, 5, 8});
  const ValueId k = net.Add(OpKind::kTranspose, "turn", {net.Input("k", {2, 3, 5, 8})},
                            With("perm", std::vector<std::int64_t>{0, 1, 3, 2}));
  const ValueId scores = net.Add(OpKind::kMatMul, "scores", {q, k});
  const ValueId weights =
      net.Add(OpKind::kSoftmax, "softmax", {scores}, With("axis", std::int64_t{-1}));
  return net.Finish({net.Add(OpKind::kMatMul, "values", {weights, net.Input("v", {2, 3, 5, 8})})});
}

Graph CanonicalAttentionOfInputs() {
  Graph graph = AttentionOfInputs();
  Canonicalize(graph);
  const FusedNetwork fused = FuseByPlan(graph, ReferencePlan(graph), nullptr);
  EXPECT_EQ(testing::NodesOf(fused.graph), "Attention[softmax+scores+turn+values]");
  return graph;
}

constexpr const char* kProducts[] = {"scores", "values"};

TEST(Ascend310P3, HasNoFloat32ProductForAttentionInItsOriginalDtype) {
  EXPECT_THAT(RefusalOf(CanonicalAttentionOfInputs(), {.precision_mode = "must_keep_origin_dtype"}),
              HasSubstr("EZ3003: no supported kernel and engine found for [scores], optype "
                        "[BatchMatMulV2]"));
}

TEST(Ascend310P3, HasNoFloat32ProductThatIsKept) {
  const Graph graph = CanonicalAttentionOfInputs();
  for (const char* mode :
       {"force_fp16", "allow_mix_precision", "allow_fp32_to_fp16", "force_fp32"}) {
    for (const std::string product : kProducts) {
      EXPECT_THAT(RefusalOf(graph, {.precision_mode = mode, .keep_dtype = {product}}),
                  HasSubstr(fmt::format("EZ3003: no supported kernel and engine found for [{}], "
                                        "optype [BatchMatMulV2]",
                                        product)))
          << mode;
    }
    EXPECT_THAT(RefusalOf(graph, {.precision_mode = mode, .keep_dtype = {"OpType::BatchMatMulV2"}}),
                HasSubstr("EZ3003"))
        << mode;
    EXPECT_EQ(RefusalOf(graph, {.precision_mode = mode, .keep_dtype = {"softmax"}}), "accepted")
        << mode;
  }
}

TEST(Ascend310P3, HasNoFloat32ProductThatIsBlack) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  options.modify_mixlist.emplace();
  options.modify_mixlist->black.to_add = {"BatchMatMulV2"};
  EXPECT_THAT(RefusalOf(CanonicalAttentionOfInputs(), options), HasSubstr("EZ3003"));
}

// force_fp32 is no refusal there: products read float16 and give float32 (docs/reference/modes.md),
// and each of them is a step of its own, as on every device.
TEST(Ascend310P3, MakesFloat32OfFloat16InProductsOfForceFp32) {
  const Graph graph = CanonicalAttentionOfInputs();
  const PrecisionPlan plan =
      ResolvePrecision(graph, {.precision_mode = "force_fp32"}, TargetOf("Ascend310P3"));
  for (const char* product : kProducts) {
    const NodePrecision& precision = plan.node(NodeOf(graph, product));
    EXPECT_THAT(precision.inputs, Each(kF16)) << product;
    EXPECT_THAT(precision.outputs, Each(kF32)) << product;
  }
  EXPECT_THAT(DTypesOf(graph, NodeOf(graph, "softmax"), plan), Each(kF32));
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
  EXPECT_EQ(fused.graph.nodes.size(), 3U) << "a transpose is only moved: part of its product";
}

}  // namespace
}  // namespace halftone
