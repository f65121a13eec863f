// What a plan keeps apart, and the precision of fused nodes.
#include "src/exec/fuse_by_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "src/exec/executable.h"
#include "src/passes/passes.h"
#include "tests/exec/fusion_rows.h"
#include "tests/support/fused_precision_check.h"

namespace halftone {
namespace {

using namespace fusion_rows;  // NOLINT(google-build-using-namespace): of the samples
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Names(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  for (const NodeId id : nodes) {
    names.push_back(graph.node(id).name);
  }
  return names;
}

NodeId NodeNamed(const Graph& graph, const std::string& name) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].name == name) {
      return static_cast<NodeId>(n);
    }
  }
  ADD_FAILURE() << "there is no node " << name;
  return 0;
}

NodePrecision& PrecisionOf(PrecisionPlan& plan, const Graph& graph, const std::string& name) {
  return plan.nodes[static_cast<std::size_t>(NodeNamed(graph, name))];
}

// Operands and results that a mode changes.
void SetDType(PrecisionPlan& plan, const Graph& graph, const std::string& name, DType dtype) {
  NodePrecision& precision = PrecisionOf(plan, graph, name);
  const Node& node = graph.node(NodeNamed(graph, name));
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (SignatureItemAt(InfoOf(node.op).inputs, i)->letter != 'F') {
      precision.inputs[i] = dtype;
    }
  }
  precision.outputs.assign(precision.outputs.size(), dtype);
}

Graph ConvNorm() {
  ExactNet n;
  return n.Finish({n.Norm("bn", n.Convolution(n.Image()), 6)});
}

TEST(FuseByPlan, ANormInFloat32StaysApartFromAConvInFloat16) {
  const Graph graph = ConvNorm();
  PrecisionPlan plan = ReferencePlan(graph);
  SetDType(plan, graph, "conv", kF16);
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  EXPECT_EQ(testing::NodesOf(fused.graph), "Conv[conv] BatchNormalization[bn]");
  ASSERT_EQ(fused.kept_apart.size(), 1U);
  EXPECT_EQ(fused.kept_apart[0].pass, "fold_batch_norm");
  EXPECT_THAT(Names(graph, fused.kept_apart[0].nodes), ElementsAre("conv", "bn"));
  EXPECT_EQ(fused.kept_apart[0].reason,
            "'bn' computes in float32, the weights of 'conv' are float16");
  EXPECT_EQ(fused.plan, plan);
}

TEST(FuseByPlan, ANormInOneDTypeWithItsConvIsFolded) {
  const Graph graph = ConvNorm();
  for (const DType dtype : {kF32, kF16, kBF16}) {
    PrecisionPlan plan = ReferencePlan(graph);
    SetDType(plan, graph, "conv", dtype);
    SetDType(plan, graph, "bn", dtype);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_EQ(testing::NodesOf(fused.graph), "Conv[conv+bn]") << NameOf(dtype);
    EXPECT_THAT(fused.kept_apart, IsEmpty());
    EXPECT_THAT(fused.plan.nodes[0].inputs, ElementsAre(dtype, dtype, dtype));
    EXPECT_THAT(fused.plan.nodes[0].outputs, ElementsAre(dtype));
  }
}

// float32 weights hold what the norm has in 16 bits; the result is that of the norm.
TEST(FuseByPlan, ANormIn16BitsIsFoldedIntoAConvInFloat32) {
  const Graph graph = ConvNorm();
  PrecisionPlan plan = ReferencePlan(graph);
  SetDType(plan, graph, "bn", kF16);
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  ASSERT_EQ(testing::NodesOf(fused.graph), "Conv[conv+bn]");
  EXPECT_EQ(fused.plan.nodes[0].inputs.at(1), kF32);
  EXPECT_THAT(fused.plan.nodes[0].outputs, ElementsAre(kF16));
}

TEST(FuseByPlan, ANormIn16BitsOfAnotherTypeStaysApart) {
  const Graph graph = ConvNorm();
  PrecisionPlan plan = ReferencePlan(graph);
  SetDType(plan, graph, "conv", kF16);
  SetDType(plan, graph, "bn", kBF16);
  const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  ASSERT_EQ(fused.kept_apart.size(), 1U);
  EXPECT_EQ(fused.kept_apart[0].reason,
            "'bn' computes in bfloat16, the weights of 'conv' are float16");
}

// Either of them: the main operator and what would be behind it.
TEST(FuseByPlan, APartOnAiCpuStaysApart) {
  const Graph graph = ConvThen(OpKind::kRelu);
  for (const std::string name : {"conv", "act"}) {
    PrecisionPlan plan = ReferencePlan(graph);
    PrecisionOf(plan, graph, name).engine = Engine::kAiCpu;
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_EQ(testing::NodesOf(fused.graph), "Conv[conv] Relu[act]");
    ASSERT_EQ(fused.kept_apart.size(), 1U);
    EXPECT_EQ(fused.kept_apart[0].pass, "fuse_activation");
    EXPECT_THAT(Names(graph, fused.kept_apart[0].nodes), ElementsAre("conv", "act"));
    EXPECT_EQ(fused.kept_apart[0].reason, "'" + name + "' runs on AiCpu");
    EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
  }
}

// Reshapes around the Transposes of heads, which the Attention would read and write past.
TEST(FuseByPlan, AReshapeOnAiCpuStaysApartFromAttention) {
  const Graph graph = AttentionWithRows(true);
  for (const std::string name : {"q.split", "v.split", "y.merge"}) {
    PrecisionPlan plan = ReferencePlan(graph);
    PrecisionOf(plan, graph, name).engine = Engine::kAiCpu;
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty()) << name;
    EXPECT_TRUE(std::any_of(fused.graph.nodes.begin(), fused.graph.nodes.end(),
                            [&](const Node& node) {
                              return node.parts == std::vector<NodeId>{NodeNamed(graph, name)};
                            }))
        << name;
  }
}

// A Transpose that is part of the product that reads it: the operand is rounded at its beginning,
// as the least of both asks for.
TEST(FuseByPlan, AMovedOperandIsReadInTheLeastDTypeOnItsWay) {
  struct Way {
    DType transpose;
    DType product;
    DType operand;
  };

  const Graph graph = ProductOfTransposed();
  for (const Way& way : {Way{kF16, kF32, kF16}, Way{kF32, kF16, kF16}, Way{kBF16, kF32, kBF16},
                         Way{kF32, kF32, kF32}, Way{kF16, kBF16, kF32}}) {
    PrecisionPlan plan = ReferencePlan(graph);
    SetDType(plan, graph, "turn", way.transpose);
    SetDType(plan, graph, "product", way.product);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    ASSERT_EQ(testing::NodesOf(fused.graph), "MatMul[product+turn]");
    EXPECT_THAT(fused.plan.nodes[0].inputs, ElementsAre(way.product, way.operand));
    EXPECT_THAT(fused.plan.nodes[0].outputs, ElementsAre(way.product));
  }
}

// Constants that a fusion makes of others: one factor of a norm becomes as many as its row has, a
// bias takes in what is folded.
TEST(FuseByPlan, AnAddedConstantHasTheDTypeOfWhatItStandsFor) {
  const Graph norm = LayerNorm(false, {1});
  PrecisionPlan plan = ReferencePlan(norm);
  for (const Node& node : norm.nodes) {
    SetDType(plan, norm, node.name, node.name == "times" ? kF32 : kF16);
  }
  FusedNetwork fused = FuseByPlan(norm, plan, nullptr);
  ASSERT_EQ(fused.graph.nodes.size(), 1U);
  ASSERT_EQ(fused.graph.nodes[0].op, OpKind::kLayerNormalization);
  EXPECT_THAT(fused.plan.nodes[0].inputs, ElementsAre(kF16, kF32, kF16));

  const Graph transposed = Transposed(2, true);
  plan = ReferencePlan(transposed);
  SetDType(plan, transposed, "bn", kF16);
  fused = FuseByPlan(transposed, plan, nullptr);
  ASSERT_EQ(testing::NodesOf(fused.graph), "ConvTranspose[spread+bn]");
  EXPECT_THAT(fused.plan.nodes[0].inputs, ElementsAre(kF32, kF32, kF32));
  EXPECT_THAT(fused.plan.nodes[0].outputs, ElementsAre(kF16));
}

// HF32 products are no more and no less exact than others: nobody chose them for the whole.
TEST(FuseByPlan, AProductInASpecialModeStaysApartFromAttention) {
  const Graph graph = AttentionWithHeads();
  for (const std::string name : {"scores", "values"}) {
    PrecisionPlan plan = ReferencePlan(graph);
    PrecisionOf(plan, graph, name).impl_mode = ImplMode::kEnableHiFloat32Execution;
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    for (const Node& node : fused.graph.nodes) {
      EXPECT_NE(node.op, OpKind::kAttention) << name;
      const bool is_product = node.origins[0].name == name;
      EXPECT_EQ(node.impl_mode == ImplMode::kEnableHiFloat32Execution, is_product);
    }
    ASSERT_EQ(fused.kept_apart.size(), 1U) << name;
    EXPECT_EQ(fused.kept_apart[0].pass, "fuse_attention");
    EXPECT_THAT(Names(graph, fused.kept_apart[0].nodes), ::testing::Contains(name));
    EXPECT_THAT(fused.kept_apart[0].reason,
                HasSubstr("'" + name + "' runs in enable_hi_float_32_execution"));
    EXPECT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
  }
}

// The checks above can fail: what a fused node must not do is found.
TEST(FusedPrecisionCheck, FindsAnOperandAResultAndAModeThatAreLess) {
  const Graph graph = ConvThen(OpKind::kRelu);
  const PrecisionPlan plan = ReferencePlan(graph);
  const auto faults = [&](const auto& spoil) {
    FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    EXPECT_EQ(fused.plan.nodes.size(), 1U);
    spoil(fused);
    return testing::FusedPrecisionFaults(graph, plan, fused);
  };
  EXPECT_THAT(faults([](FusedNetwork& f) { f.plan.nodes[0].inputs[1] = kF16; }),
              ::testing::Contains(HasSubstr("reads operand 1 in float16")));
  EXPECT_THAT(faults([](FusedNetwork& f) { f.plan.nodes[0].outputs[0] = kF16; }),
              ElementsAre(HasSubstr("makes result 0 in float16, its part in float32")));
  EXPECT_THAT(
      faults([](FusedNetwork& f) { f.plan.nodes[0].impl_mode = ImplMode::kHighPerformance; }),
      ElementsAre(HasSubstr("runs in high_performance, its part node 'conv' (Conv) in "
                            "high_precision")));
  EXPECT_THAT(faults([](FusedNetwork& f) { f.plan.nodes[0].engine = Engine::kAiCpu; }),
              ::testing::SizeIs(2));
  EXPECT_THAT(faults([](FusedNetwork& f) { f.graph.nodes[0].parts.pop_back(); }),
              ::testing::Contains(HasSubstr("no step computes node 'act' (Relu)")));
}

}  // namespace
}  // namespace halftone
