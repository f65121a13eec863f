// A node that was a chain in the model, from the passes to configuration files and to a run in
// float16: any name and type of the chain means the node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/checked_run.h"
#include "src/exec/executable.h"
#include "src/exec/host_target.h"
#include "src/ir/ir_type.h"
#include "src/passes/passes.h"
#include "src/precision/resolve.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

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
    Optimize(graph);
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
    Optimize(graph);
    return graph;
  }

 private:
  int numbers_ = 0;
};

std::vector<Graph> BothNetworks() {
  return {Network().Make(), Network().MakeAttention()};
}

std::vector<std::string_view> TypesOf(const Graph& graph) {
  std::vector<std::string_view> types;
  for (const Node& node : graph.nodes) {
    types.push_back(IrTypeOf(graph, node));
  }
  return types;
}

TEST(FusedChains, AreFourNodes) {
  EXPECT_THAT(TypesOf(Network().Make()),
              ::testing::ElementsAre("LayerNorm", "Gelu", "Swish", "SoftmaxV2"));
}

TEST(FusedChains, AreTwoNodesOfAttention) {
  EXPECT_THAT(TypesOf(Network().MakeAttention()),
              ::testing::ElementsAre("RotaryEmbedding", "Attention"));
}

class KeptChain : public ::testing::TestWithParam<int> {};

TEST_P(KeptChain, IsKeptByEveryNameAndTypeOfIt) {
  const Graph graph = BothNetworks()[static_cast<std::size_t>(GetParam())];
  const TargetSpec target = HostTarget();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    std::vector<std::string> lines = {"OpType::" + std::string(IrTypeOf(graph, graph.nodes[n]))};
    for (const Origin& origin : graph.nodes[n].origins) {
      lines.push_back(origin.name);
      lines.push_back("OpType::" + std::string(IrTypeOfName(origin.type)));
    }
    for (const std::string& line : lines) {
      PrecisionOptions options;
      options.precision_mode = "force_fp16";
      options.keep_dtype = {line};
      const PrecisionPlan plan = ResolvePrecision(graph, options, target);
      EXPECT_EQ(plan.nodes.at(n).compute_dtype(), DType::kFloat32) << line;
      EXPECT_EQ(plan.nodes.at(n).reason, "kept by keep_dtype line '" + line + "'");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, KeptChain, ::testing::Values(0, 1));

TEST(FusedChains, AttentionTakesImplementationModesByEveryNameOfTheChain) {
  const Graph graph = Network().MakeAttention();
  for (const Origin& origin : graph.nodes.at(1).origins) {
    for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
      PrecisionOptions options;
      options.precision_mode = "must_keep_origin_dtype";
      options.op_precision_given = true;
      options.impl_mode_by_node = {{origin.name, mode}};
      EXPECT_EQ(ResolvePrecision(graph, options, HostTarget()).nodes.at(1).impl_mode, mode)
          << origin.name;
    }
  }
}

TEST(FusedChains, TakeImplementationModesByEveryNameOfTheChain) {
  const Graph graph = Network().Make();
  const TargetSpec target = HostTarget();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Origin& origin : graph.nodes[n].origins) {
      for (const ImplMode mode : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
        PrecisionOptions options;
        options.precision_mode = "must_keep_origin_dtype";
        options.op_precision_given = true;
        options.impl_mode_by_node = {{origin.name, mode}};
        EXPECT_EQ(ResolvePrecision(graph, options, target).nodes.at(n).impl_mode, mode)
            << origin.name;
      }
    }
  }
}

// Layer normalisation and Softmax are black, the activations follow what is before them.
TEST(FusedChains, AreClassedAsTheirOperators) {
  const Graph graph = Network().Make();
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  const PrecisionPlan plan = ResolvePrecision(graph, options, HostTarget());
  EXPECT_THAT(plan.nodes.at(0).reason, ::testing::HasSubstr("black"));
  EXPECT_THAT(plan.nodes.at(1).reason, ::testing::HasSubstr("gray"));
  EXPECT_THAT(plan.nodes.at(2).reason, ::testing::HasSubstr("gray"));
  EXPECT_THAT(plan.nodes.at(3).reason, ::testing::HasSubstr("black"));
  const Graph attention = Network().MakeAttention();
  const PrecisionPlan lowered = ResolvePrecision(attention, options, HostTarget());
  EXPECT_THAT(lowered.nodes.at(0).reason, ::testing::HasSubstr("gray"));
  EXPECT_THAT(lowered.nodes.at(1).reason, ::testing::HasSubstr("white"));
}

// x reaches beyond float16: the census names the node by the first name of the chain.
TEST(FusedChains, OverflowIsFoundInThem) {
  const Graph graph = Network().Make();
  PrecisionOptions options;
  options.precision_mode = "force_fp16";
  const Executable half = Compile(graph, ResolvePrecision(graph, options, HostTarget()));
  const Executable reference = Compile(graph, ReferencePlan(graph));
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
}

}  // namespace
}  // namespace halftone
