// The Transpose of a computed second operand: where it is part of the product, where not, and that
// the results keep their bits.
#include "src/passes/fuse/fuse_transpose.h"

#include <gtest/gtest.h>

#include "src/ir/fused_operands.h"
#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;
using Ints = std::vector<std::int64_t>;

struct Case {
  const char* name;
  OpKind op;
  Shape a;
  Shape b;  // before the Transpose
  Ints perm;
  const char* after;
};

const Case kCases[] = {
    {"Heads", OpKind::kMatMul, {2, 3, 5, 8}, {2, 3, 13, 8}, {0, 1, 3, 2}, "MatMul[product+turn]"},
    {"RowsOfHeads",
     OpKind::kMatMul,
     {2, 3, 5, 8},
     {2, 13, 3, 8},
     {0, 2, 3, 1},
     "MatMul[product+turn]"},
    {"BroadcastHeads",
     OpKind::kMatMul,
     {2, 3, 5, 8},
     {1, 13, 1, 8},
     {0, 2, 3, 1},
     "MatMul[product+turn]"},
    {"ThreeAxes", OpKind::kMatMul, {3, 5, 8}, {13, 3, 8}, {1, 2, 0}, "MatMul[product+turn]"},
    {"SharedByBatches", OpKind::kMatMul, {3, 5, 8}, {13, 8}, {1, 0}, "MatMul[product+turn]"},
    {"TwoAxes", OpKind::kMatMul, {5, 8}, {13, 8}, {1, 0}, "MatMul[product+turn]"},
    {"RowByMatrix", OpKind::kMatMul, {8}, {13, 8}, {1, 0}, "MatMul[product+turn]"},
    {"Gemm", OpKind::kGemm, {5, 8}, {13, 8}, {1, 0}, "Gemm[product+turn]"},
    {"KeepsColumnsThatLieApart",
     OpKind::kMatMul,
     {2, 3, 5, 13},
     {2, 13, 3, 8},
     {0, 2, 1, 3},
     "Transpose[turn] MatMul[product]"},
};

Graph GraphOf(const Case& c, DType dtype) {
  Net net;
  const ValueId a = net.Input("a", c.a, dtype);
  const ValueId b =
      net.Add(OpKind::kTranspose, "turn", {net.Input("b", c.b, dtype)}, With("perm", c.perm));
  return net.Finish({net.Add(c.op, "product", {a, b})});
}

class FuseTransposeTest : public ::testing::TestWithParam<Case> {};

TEST_P(FuseTransposeTest, KeepsTheBits) {
  for (const DType dtype : testing::kFloatDTypes) {
    const Graph before = GraphOf(GetParam(), dtype);
    Graph after = before;
    FuseTranspose(after);
    EXPECT_EQ(NodesOf(after), GetParam().after);
    testing::ExpectSettled(before, after, FuseTranspose);
    testing::ExpectAgreement(before, after, testing::RandomInputs(before, 9),
                             [](std::int64_t, double) { return 0.0; });
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, FuseTransposeTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// A Gemm that transposes B itself reads it as it lies.
TEST(FuseTranspose, TwoTransposesOfAGemmAreNone) {
  Net net;
  const ValueId b =
      net.Add(OpKind::kTranspose, "turn", {net.Input("b", {8, 13})}, With("perm", Ints{1, 0}));
  const Graph before = net.Finish({net.Add(OpKind::kGemm, "gemm", {net.Input("a", {5, 8}), b},
                                           With("transB", std::int64_t{1}))});
  Graph after = before;
  FuseTranspose(after);
  ASSERT_EQ(NodesOf(after), "Gemm[gemm+turn]");
  EXPECT_EQ(after.nodes[0].attributes.Int("transB", 1), 0);
  testing::ExpectAgreement(before, after, testing::RandomInputs(before, 9),
                           [](std::int64_t, double) { return 0.0; });
}

struct KeptCase {
  const char* name;
  std::vector<ValueId> (*make)(Net& net);
};

const KeptCase kKept[] = {
    {"ReadTwice",
     [](Net& net) {
       const ValueId b =
           net.Add(OpKind::kTranspose, "turn", {net.Input("b", {13, 8})}, With("perm", Ints{1, 0}));
       return std::vector{net.Add(OpKind::kMatMul, "product", {net.Input("a", {5, 8}), b}),
                          net.Add(OpKind::kNeg, "other", {b})};
     }},
    {"AnOutput",
     [](Net& net) {
       const ValueId b =
           net.Add(OpKind::kTranspose, "turn", {net.Input("b", {13, 8})}, With("perm", Ints{1, 0}));
       return std::vector{net.Add(OpKind::kMatMul, "product", {net.Input("a", {5, 8}), b}), b};
     }},
    {"BothOperands",
     [](Net& net) {
       const ValueId b =
           net.Add(OpKind::kTranspose, "turn", {net.Input("b", {8, 8})}, With("perm", Ints{1, 0}));
       return std::vector{net.Add(OpKind::kMatMul, "product", {b, b})};
     }},
    {"FirstOperand",
     [](Net& net) {
       const ValueId a =
           net.Add(OpKind::kTranspose, "turn", {net.Input("a", {8, 5})}, With("perm", Ints{1, 0}));
       return std::vector{net.Add(OpKind::kMatMul, "product", {a, net.Input("b", {8, 13})})};
     }},
    {"Integers",
     [](Net& net) {
       const ValueId b =
           net.Add(OpKind::kTranspose, "turn", {net.Input("b", {13, 8}, DType::kInt32)},
                   With("perm", Ints{1, 0}));
       return std::vector{
           net.Add(OpKind::kMatMul, "product", {net.Input("a", {5, 8}, DType::kInt32), b})};
     }},
};

class KeptTranspose : public ::testing::TestWithParam<KeptCase> {};

TEST_P(KeptTranspose, IsNotFused) {
  Net net;
  Graph graph = net.Finish(GetParam().make(net));
  const Hash128 before = HashOf(graph);
  FuseTranspose(graph);
  EXPECT_EQ(HashOf(graph), before) << NodesOf(graph);
}

INSTANTIATE_TEST_SUITE_P(Graphs, KeptTranspose, ::testing::ValuesIn(kKept),
                         [](const auto& row) { return std::string(row.param.name); });

// Scores that somebody reads are no Attention, but k^T is not written either. A second run takes
// the product for what it is.
TEST(FuseTranspose, TakesTheKeysOfScoresThatAreRead) {
  Net net;
  const ValueId q = net.Input("q", {2, 3, 5, 8});
  const ValueId k = net.Add(OpKind::kTranspose, "turn", {net.Input("k", {2, 13, 3, 8})},
                            With("perm", Ints{0, 2, 3, 1}));
  const ValueId scores = net.Add(OpKind::kMatMul, "scores", {q, k});
  const ValueId p = net.Add(OpKind::kSoftmax, "softmax", {scores}, With("axis", std::int64_t{-1}));
  Graph graph =
      net.Finish({net.Add(OpKind::kMatMul, "values", {p, net.Input("v", {2, 3, 13, 6})}), p});
  Graph off = graph;
  Optimize(off, {"fuse_transpose"});
  EXPECT_EQ(NodesOf(off), "Transpose[turn] MatMul[scores] Softmax[softmax] MatMul[values]");
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "MatMul[scores+turn] Softmax[softmax] MatMul[values]");
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "MatMul[scores+turn] Softmax[softmax] MatMul[values]");
}

// The bias is fused as well, and the product of two axes with a bias is a Gemm.
TEST(FuseTranspose, GoesWithABias) {
  for (const bool heads : {false, true}) {
    Net net;
    const ValueId b = net.Add(OpKind::kTranspose, "turn",
                              {net.Input("b", heads ? Shape{2, 13, 8} : Shape{13, 8})},
                              With("perm", heads ? Ints{0, 2, 1} : Ints{1, 0}));
    const ValueId product = net.Add(OpKind::kMatMul, "product",
                                    {net.Input("a", heads ? Shape{2, 5, 8} : Shape{5, 8}), b});
    Graph graph = net.Finish({net.Add(OpKind::kAdd, "add", {product, net.Weights("bias", {13})})});
    Optimize(graph);
    EXPECT_EQ(NodesOf(graph), heads ? "MatMul[product+add+turn]" : "Gemm[product+add+turn]");
  }
}

}  // namespace
}  // namespace halftone
