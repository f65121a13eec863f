// Chains of a model that run as one step: precision is decided on their own nodes, the step
// follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/host_target.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;

constexpr std::int64_t kLength = 16;

class Network : public GraphBuilder {
 public:
  ValueId Number(float value) {
    return Constant("number" + std::to_string(numbers_++), Tensor::From<float>({}, {&value, 1}));
  }

  ValueId Of(OpKind op, std::string name, std::vector<ValueId> inputs) {
    return Add(op, std::move(name), std::move(inputs));
  }

  // layer normalisation, GELU, SiLU, and the scores of attention behind each other.
  Graph Make() {
    const ValueId x = Input("x", {4, kLength});
    const ValueId mean = Of(OpKind::kReduceMean, "norm/mean", {x, Integers("axes", {-1})});
    const ValueId d = Of(OpKind::kSub, "norm/sub", {x, mean});
    const ValueId dd = Of(OpKind::kMul, "norm/square", {d, d});
    const ValueId v = Of(OpKind::kReduceMean, "norm/var", {dd, Integers("axes2", {-1})});
    const ValueId shifted = Of(OpKind::kAdd, "norm/add", {v, Number(1e-5F)});
    const ValueId root = Of(OpKind::kSqrt, "norm/sqrt", {shifted});
    const ValueId n = Of(OpKind::kDiv, "norm/div", {d, root});
    const ValueId t =
        Of(OpKind::kErf, "gelu/erf", {Of(OpKind::kDiv, "gelu/div", {n, Number(1.41421356F)})});
    const ValueId s = Of(OpKind::kAdd, "gelu/add", {t, Number(1)});
    const ValueId ns = Of(OpKind::kMul, "gelu/mul", {n, s});
    const ValueId gelu = Of(OpKind::kMul, "gelu/half", {ns, Number(0.5F)});
    const ValueId gate = Of(OpKind::kSigmoid, "silu/sigmoid", {gelu});
    const ValueId silu = Of(OpKind::kMul, "silu/mul", {gelu, gate});
    const ValueId scaled = Of(OpKind::kMul, "scores/scale", {silu, Number(0.25F)});
    const ValueId masked = Of(OpKind::kAdd, "scores/mask",
                              {scaled, Constant("mask", Tensor(DType::kFloat32, {kLength}))});
    Graph graph = Finish({Of(OpKind::kSoftmax, "scores/softmax", {masked})});
    Canonicalize(graph);
    return graph;
  }

  // rotary embedding of queries, in x cos + rotate_half(x) sin, and scaled dot products with keys.
  Graph MakeAttention() {
    const ValueId q = Input("q", {1, 2, 4, kLength});
    const ValueId k = Input("k", {1, 2, 4, kLength});
    const ValueId axis = Integers("axis", {-1});
    const ValueId half = Integers("half", {kLength / 2});
    const ValueId first = Of(OpKind::kSlice, "rope/first", {q, Integers("begin", {0}), half, axis});
    const ValueId second =
        Of(OpKind::kSlice, "rope/second", {q, half, Integers("end", {kLength}), axis});
    Attributes last;
    last.Set("axis", std::int64_t{-1});
    const ValueId turned =
        Add(OpKind::kConcat, "rope/join", {Of(OpKind::kNeg, "rope/neg", {second}), first}, last);
    const auto table = [&](const std::string& name) {
      return Constant(name, Tensor(DType::kFloat32, {4, kLength}));
    };
    const ValueId plain = Of(OpKind::kMul, "rope/plain", {q, table("cos")});
    const ValueId mixed = Of(OpKind::kMul, "rope/mixed", {turned, table("sin")});
    const ValueId rope = Of(OpKind::kAdd, "rope/sum", {plain, mixed});
    Attributes turn;
    turn.Set("perm", std::vector<std::int64_t>{0, 1, 3, 2});
    const ValueId kt = Add(OpKind::kTranspose, "attention/turn", {k}, turn);
    const ValueId scores = Of(OpKind::kMatMul, "attention/scores", {rope, kt});
    const ValueId scaled = Of(OpKind::kMul, "attention/scale", {scores, Number(0.25F)});
    const ValueId weights = Of(OpKind::kSoftmax, "attention/softmax", {scaled});
    Graph graph = Finish({Of(OpKind::kMatMul, "attention/values", {weights, k})});
    Canonicalize(graph);
    return graph;
  }

 private:
  int numbers_ = 0;
};

PrecisionPlan PlanIn(const Graph& graph, const std::string& mode, const std::string& keep = "") {
  PrecisionOptions options{.precision_mode = mode};
  if (!keep.empty()) {
    options.keep_dtype = {keep};
  }
  return ResolvePrecision(graph, options, HostTarget());
}

// What runs: "LayerNormalization f16 -> f16".
std::vector<std::string> StepsOf(const Graph& graph, const PrecisionPlan& plan) {
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  std::vector<std::string> steps;
  for (std::size_t n = 0; n < fused.graph.nodes.size(); ++n) {
    const NodePrecision& precision = fused.plan.nodes[n];
    steps.push_back(std::string(InfoOf(fused.graph.nodes[n].op).name) + " " +
                    std::string(ShortNameOf(precision.inputs[0])) + " -> " +
                    std::string(ShortNameOf(precision.outputs[0])));
  }
  return steps;
}

const NodePrecision& Of(const Graph& graph, const PrecisionPlan& plan, const std::string& name) {
  const auto found = std::ranges::find(graph.nodes, name, &Node::name);
  return plan.nodes.at(static_cast<std::size_t>(found - graph.nodes.begin()));
}

TEST(FusedChains, AreFourSteps) {
  const Graph graph = Network().Make();
  EXPECT_EQ(graph.nodes.size(), 17U) << "own nodes";
  EXPECT_THAT(StepsOf(graph, PlanIn(graph, "force_fp16")),
              ElementsAre("LayerNormalization f16 -> f16", "Gelu f16 -> f16", "Swish f16 -> f16",
                          "Softmax f16 -> f16"));
}

TEST(FusedChains, AreTwoStepsOfAttention) {
  const Graph graph = Network().MakeAttention();
  EXPECT_THAT(StepsOf(graph, PlanIn(graph, "force_fp16")),
              ElementsAre("RotaryEmbedding f16 -> f16", "Attention f16 -> f16"));
}

// A name means one node, whatever step it is in.
TEST(FusedChains, EachNodeIsKeptByItself) {
  for (const Graph& graph : {Network().Make(), Network().MakeAttention()}) {
    for (const Node& node : graph.nodes) {
      const PrecisionPlan plan = PlanIn(graph, "force_fp16", node.name);
      for (const Node& other : graph.nodes) {
        EXPECT_EQ(Of(graph, plan, other.name).compute_dtype(),
                  other.name == node.name ? DType::kFloat32 : DType::kFloat16)
            << other.name << " where " << node.name << " is kept";
      }
    }
  }
}

// Softmax is black and the products are white: what lies between them is float32 in the step.
TEST(FusedChains, ABlackSoftmaxStaysFloat32InsideAttention) {
  const Graph graph = Network().MakeAttention();
  const PrecisionPlan plan = PlanIn(graph, "allow_mix_precision");
  EXPECT_THAT(Of(graph, plan, "attention/softmax").reason, ::testing::HasSubstr("black"));
  EXPECT_EQ(Of(graph, plan, "attention/softmax").compute_dtype(), DType::kFloat32);
  EXPECT_THAT(Of(graph, plan, "attention/scores").reason, ::testing::HasSubstr("white"));
  EXPECT_EQ(Of(graph, plan, "attention/values").compute_dtype(), DType::kFloat16);
  EXPECT_THAT(StepsOf(graph, plan), ::testing::Contains("Attention f16 -> f16"));
}

// x reaches beyond float16: the census names what rounds it.
TEST(FusedChains, OverflowIsFoundInThem) {
  const Graph graph = Network().Make();
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  const Executable half = Compile(graph, ResolvePrecision(graph, options, HostTarget()));
  const Executable reference = Compile(graph, ReferencePlan(graph), {.fuse = false});
  CheckedRunner runner(graph, half, [&]() -> const Executable& { return reference; });
  Tensor x(DType::kFloat32, {4, kLength});
  Rng rng(1);
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  static_cast<void>(runner.Run({&x, 1}, "calm"));
  EXPECT_TRUE(runner.census().findings.empty());
  x.mutable_values<float>()[3] = 1e6F;
  static_cast<void>(runner.Run({&x, 1}, "loud"));
  ASSERT_FALSE(runner.census().findings.empty());
  EXPECT_EQ(runner.census().findings[0].node, "cast x to float16");
}

}  // namespace
}  // namespace halftone
