// Which element-wise nodes are marked to run together. tests/exec/chains_test.cc has that the bits
// stay.
#include "src/passes/fuse/chain_elementwise.h"

#include <gtest/gtest.h>

#include <string>

#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;

// "a:1 b:1 c:0": the nodes with the numbers of their chains.
std::string ChainsOf(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += (text.empty() ? "" : " ") + node.name + ":" + std::to_string(node.chain);
  }
  return text;
}

struct ChainNet : Net {
  ValueId x = Image();

  ValueId Abs(const std::string& name, ValueId a) { return Add(OpKind::kAbs, name, {a}); }

  ValueId Mul(const std::string& name, ValueId a, ValueId b) {
    return Add(OpKind::kMul, name, {a, b});
  }
};

struct Case {
  const char* name;
  Graph (*make)();
  const char* after;
};

const Case kCases[] = {
    {"one_operand_after_another",
     [] {
       ChainNet net;
       return net.Finish({net.Abs("c", net.Abs("b", net.Abs("a", net.x)))});
     },
     "a:1 b:1 c:1"},
    {"a_scalar_a_channel_and_a_tensor",
     [] {
       ChainNet net;
       const ValueId a = net.Mul("a", net.x, net.Number(3));
       const ValueId b = net.Mul("b", a, net.Weights("w", {4, 1, 1}));
       return net.Finish({net.Mul("c", b, net.Input("z", {2, 4, 3, 5}))});
     },
     "a:1 b:1 c:1"},
    {"branches_that_meet",
     [] {
       ChainNet net;
       const ValueId a = net.Abs("a", net.x);
       const ValueId b = net.Abs("b", a);
       return net.Finish({net.Mul("d", b, net.Abs("c", a))});
     },
     "a:1 b:1 c:1 d:1"},
    {"a_value_read_twice_by_one_node",
     [] {
       ChainNet net;
       const ValueId a = net.Abs("a", net.x);
       return net.Finish({net.Mul("b", a, a)});
     },
     "a:1 b:1"},
    {"nodes_in_between",
     [] {
       ChainNet net;
       const ValueId a = net.Abs("a", net.x);
       const ValueId conv = net.Conv("conv", net.x, 4);
       return net.Finish({net.Mul("b", a, conv)});
     },
     "a:1 conv:0 b:1"},
    {"not_what_others_read",
     [] {
       ChainNet net;
       const ValueId a = net.Abs("a", net.x);
       return net.Finish({net.Abs("b", a), net.Conv("conv", a, 4)});
     },
     "a:0 b:0 conv:0"},
    {"not_an_output_of_the_network",
     [] {
       ChainNet net;
       const ValueId a = net.Abs("a", net.x);
       return net.Finish({a, net.Abs("c", net.Abs("b", a))});
     },
     "a:0 b:1 c:1"},
    {"not_what_is_broadcast",
     [] {
       ChainNet net;
       const ValueId small = net.Abs("b", net.Abs("a", net.Input("s", {4, 1, 1})));
       return net.Finish({net.Mul("c", small, net.x)});
     },
     "a:1 b:1 c:0"},
    {"not_integers",
     [] {
       Net net;
       const ValueId x = net.Input("x", {3}, DType::kInt64);
       return net.Finish({net.Add(OpKind::kNeg, "b", {net.Add(OpKind::kAbs, "a", {x})})});
     },
     "a:0 b:0"},
    {"two_chains",
     [] {
       ChainNet net;
       const ValueId b = net.Abs("b", net.Abs("a", net.x));
       return net.Finish({net.Abs("d", net.Abs("c", net.Conv("conv", b, 4)))});
     },
     "a:2 b:2 conv:0 c:1 d:1"},
};

class ChainElementwiseTest : public ::testing::TestWithParam<Case> {};

TEST_P(ChainElementwiseTest, MarksAsExpected) {
  const Graph before = GetParam().make();
  Graph after = before;
  ChainElementwise(after);
  EXPECT_EQ(ChainsOf(after), GetParam().after);
  testing::ExpectSettled(before, after, ChainElementwise);
}

INSTANTIATE_TEST_SUITE_P(Graphs, ChainElementwiseTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// What other fusions take has left before chains are marked.
TEST(ChainElementwise, GoesAfterOtherFusions) {
  ChainNet net;
  const ValueId conv = net.Conv("conv", net.x, 4);
  const ValueId sum = net.Add(OpKind::kAdd, "add", {conv, net.x});
  const ValueId relu = net.Add(OpKind::kRelu, "relu", {sum});
  const ValueId gate = net.Add(OpKind::kSigmoid, "sigmoid", {relu});
  Graph graph = net.Finish({net.Abs("abs", net.Mul("mul", relu, gate))});
  Optimize(graph);
  EXPECT_EQ(testing::NodesOf(graph), "Conv[conv+add+relu] Swish[sigmoid+mul] Abs[abs]");
  EXPECT_EQ(ChainsOf(graph), "conv:0 sigmoid:1 abs:1");
}

// A value with many readers, and many of them: no search starts again for each.
TEST(ChainElementwise, IsLinearInLengthAndReaders) {
  ChainNet net;
  ValueId sum = net.Abs("a", net.x);
  const ValueId many = sum;
  for (int i = 0; i < 50'000; ++i) {
    sum = net.Mul("m" + std::to_string(i), sum, many);
  }
  Graph graph = net.Finish({sum});
  ChainElementwise(graph);
  EXPECT_EQ(graph.nodes.front().chain, 1);
  EXPECT_EQ(graph.nodes.back().chain, 1);
}

}  // namespace
}  // namespace halftone
