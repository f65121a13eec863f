// Scaled dot products: what becomes one Attention, what does not, and by how much results differ.
#include <gtest/gtest.h>

#include <cmath>

#include "src/passes/passes.h"
#include "tests/support/attention_chains.h"

namespace halftone {
namespace {

using testing::AttentionChain;
using testing::FuseScores;
using testing::Heads;
using testing::kBatch;
using testing::kHeads;
using testing::kInfinity;
using testing::kLength;
using testing::kQueries;
using testing::kSize;
using testing::kValueSize;
using testing::NodesOf;
using testing::With;

// As the exporters of BERT write it.
ValueId Rows(Heads& h, const char* last) {
  const ValueId q = h.Turn("q.turn", h.Split("q", kQueries, kSize), {0, 2, 1, 3});
  const ValueId k = h.Turn("k.turn", h.Split("k", kLength, kSize), {0, 2, 3, 1});
  const ValueId v = h.Turn("v.turn", h.Split("v", kLength, kValueSize), {0, 2, 1, 3});
  const ValueId scaled = h.Over("scale", h.Scores(q, k), std::sqrt(8.0));
  const ValueId sum =
      h.Add(OpKind::kAdd, "mask", {scaled, h.Operand("m", {kBatch, 1, 1, kLength})});
  const ValueId y = h.Turn("y.turn", h.Values(h.Softmax(sum), v), {0, 2, 1, 3});
  return last == std::string("merged")
             ? h.Add(OpKind::kReshape, "y.merge",
                     {y, h.Integers("y.shape", {kBatch, kQueries, kHeads * kValueSize})})
             : h.Add(OpKind::kNeg, "after", {y});
}

const AttentionChain kCases[] = {
    {"Rows", [](Heads& h) { return Rows(h, "merged"); },
     "Attention[softmax+scale+mask+scores+values+q.turn+q.split+k.turn+k.split+v.turn+v.split+"
     "y.turn+y.merge]",
     1 / std::sqrt(8.0)},
    {"RowsThatStaySplit", [](Heads& h) { return Rows(h, "split"); },
     "Attention[softmax+scale+mask+scores+values+q.turn+q.split+k.turn+k.split+v.turn+v.split] "
     "Reshape[y.turn] Neg[after]",
     1 / std::sqrt(8.0)},
    {"Heads",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       return h.Values(h.Softmax(h.Times("scale", s, 0.25)), h.V());
     },
     "Attention[softmax+scale+scores+turn+values]", 0.25},
    {"Unscaled",
     [](Heads& h) { return h.Values(h.Softmax(h.Scores(h.Q(), h.Turned(h.K()))), h.V()); },
     "Attention[softmax+scores+turn+values]"},
    {"ScaledQueries",
     [](Heads& h) {
       const ValueId q = h.Over("scale", h.Q(), 2.5);
       return h.Values(h.Softmax(h.Scores(q, h.Turned(h.K()))), h.V());
     },
     "Attention[softmax+scores+scale+turn+values]", 0.4, 1},
    {"ScaledOperands",
     [](Heads& h) {
       const ValueId q = h.Times("scale.q", h.Q(), 0.6);
       const ValueId k = h.Times("scale.k", h.Turned(h.K()), 0.6);
       return h.Values(h.Softmax(h.Scores(q, k)), h.V());
     },
     "Attention[softmax+scores+scale.q+scale.k+turn+values]", 0.36, 2},
    {"ScaledBeforeTheTranspose",
     [](Heads& h) {
       const ValueId k = h.Turned(h.Times("scale.k", h.K(), 0.6));
       return h.Values(h.Softmax(h.Over("scale", h.Scores(h.Q(), k), 2)), h.V());
     },
     "Attention[softmax+scale+scores+scale.k+turn+values]", 0.3, 1},
    {"KeysOfRows",
     [](Heads& h) {
       const ValueId k =
           h.Turn("turn", h.Operand("k", {kBatch, kLength, kHeads, kSize}), {0, 2, 3, 1});
       return h.Values(h.Softmax(h.Scores(h.Q(), k)), h.V());
     },
     "Attention[softmax+scores+values+turn]"},
    {"ThreeAxes",
     [](Heads& h) {
       const ValueId q = h.Operand("q", {kHeads, kQueries, kSize});
       const ValueId k = h.Turn("turn", h.Operand("k", {kHeads, kLength, kSize}), {0, 2, 1});
       const ValueId s =
           h.Add(OpKind::kAdd, "mask", {h.Scores(q, k), h.Operand("m", {1, kQueries, kLength})});
       return h.Values(h.Softmax(s), h.Operand("v", {kHeads, kLength, kValueSize}));
     },
     "Attention[softmax+mask+scores+turn+values]"},
    {"ThreeAxesOfRows",
     [](Heads& h) {
       const ValueId q = h.Turn("q.turn", h.Operand("q", {kQueries, kHeads, kSize}), {1, 0, 2});
       const ValueId k = h.Turn("k.turn", h.Operand("k", {kLength, kHeads, kSize}), {1, 2, 0});
       const ValueId v = h.Turn("v.turn", h.Operand("v", {kLength, kHeads, kValueSize}), {1, 0, 2});
       return h.Turn("y.turn", h.Values(h.Softmax(h.Scores(q, k)), v), {1, 0, 2});
     },
     "Reshape[q.turn] Reshape[k.turn] Reshape[v.turn] Attention[softmax+scores+values] "
     "Reshape[y.turn]"},
    {"TheSameThreeTimes",
     [](Heads& h) {
       const ValueId x =
           h.Turn("turn", h.Operand("x", {kBatch, kLength, kHeads, kSize}), {0, 2, 1, 3});
       const ValueId k = h.Turn("turn.k", x, {0, 1, 3, 2});
       return h.Turn("back", h.Values(h.Softmax(h.Scores(x, k)), x), {0, 2, 1, 3});
     },
     "Reshape[turn] Attention[softmax+scores+turn.k+values] Reshape[back]"},
};

class FusedAttention : public ::testing::TestWithParam<AttentionChain> {};

TEST_P(FusedAttention, AgreesWithTheChain) {
  testing::ExpectAgreementWithTheChain(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Chains, FusedAttention, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What stays as it is ------------------------------------------------------------------------

struct KeptCase {
  const char* name;
  std::vector<ValueId> (*make)(Heads& h);
};

const KeptCase kKept[] = {
    {"ScoresAreAnOutput",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       return std::vector{h.Values(h.Softmax(s), h.V()), s};
     }},
    {"WeightsAreAnOutput",
     [](Heads& h) {
       const ValueId p = h.Softmax(h.Scores(h.Q(), h.Turned(h.K())));
       return std::vector{h.Values(p, h.V()), p};
     }},
    {"KeysThatNothingTransposed",
     [](Heads& h) {
       const ValueId k = h.Operand("k", {kBatch, kHeads, kSize, kLength});
       return std::vector{h.Values(h.Softmax(h.Scores(h.Q(), k)), h.V())};
     }},
    {"TransposedKeysAreReadTwice",
     [](Heads& h) {
       const ValueId k = h.Turned(h.K());
       const ValueId y = h.Values(h.Softmax(h.Scores(h.Q(), k)), h.V());
       return std::vector{y, h.Add(OpKind::kNeg, "other", {k})};
     }},
    {"BroadcastKeys",
     [](Heads& h) {
       const ValueId k = h.Turned(h.Operand("k", {1, kHeads, kLength, kSize}));
       return std::vector{h.Values(h.Softmax(h.Scores(h.Q(), k)), h.V())};
     }},
    {"TwoAxes",
     [](Heads& h) {
       const ValueId k = h.Turn("turn", h.Operand("k", {kLength, kSize}), {1, 0});
       const ValueId s = h.Scores(h.Operand("q", {kQueries, kSize}), k);
       return std::vector{h.Values(h.Softmax(s), h.Operand("v", {kLength, kValueSize}))};
     }},
    {"AnotherAxis",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       return std::vector{
           h.Values(h.Add(OpKind::kSoftmax, "softmax", {s}, With("axis", std::int64_t{2})), h.V())};
     }},
    {"ScaleOfAnyValue",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       const ValueId scaled = h.Add(OpKind::kMul, "scale", {s, h.Operand("scale", {})});
       return std::vector{h.Values(h.Softmax(scaled), h.V())};
     }},
    {"MaskOfEachImageOfThreeAxes",
     [](Heads& h) {
       const ValueId k = h.Turn("turn", h.Operand("k", {kHeads, kLength, kSize}), {0, 2, 1});
       const ValueId s = h.Scores(h.Operand("q", {kHeads, kQueries, kSize}), k);
       const ValueId sum =
           h.Add(OpKind::kAdd, "mask", {s, h.Operand("m", {kHeads, kQueries, kLength})});
       return std::vector{h.Values(h.Softmax(sum), h.Operand("v", {kHeads, kLength, kValueSize}))};
     }},
    {"MaskOfEachImageOfThreeAxesAndWhere",
     [](Heads& h) {
       const ValueId k = h.Turn("turn", h.Operand("k", {kHeads, kLength, kSize}), {0, 2, 1});
       const ValueId s = h.Scores(h.Operand("q", {kHeads, kQueries, kSize}), k);
       const ValueId keep = h.Input("keep", {kHeads, kQueries, kLength}, DType::kBool);
       const ValueId sum = h.Add(OpKind::kAdd, "mask", {s, h.Operand("m", {kLength})});
       return std::vector{
           h.Values(h.Kept(keep, sum, -1e4), h.Operand("v", {kHeads, kLength, kValueSize}))};
     }},
    {"LongRowsOfLargeHeads",
     [](Heads& h) {
       const ValueId k = h.Turned(h.Operand("k", {1, 1, 4096, 512}));
       const ValueId s = h.Scores(h.Operand("q", {1, 1, 4096, 512}), k);
       return std::vector{h.Values(h.Softmax(s), h.Operand("v", {1, 1, 4096, 512}))};
     }},
};

class KeptProducts : public ::testing::TestWithParam<KeptCase> {};

TEST_P(KeptProducts, AreNotFused) {
  Heads h(DType::kFloat32);
  Graph graph = h.Finish(GetParam().make(h));
  FuseSoftmax(graph);
  const Hash128 before = HashOf(graph);
  FuseAttention(graph);
  EXPECT_EQ(HashOf(graph), before) << NodesOf(graph);
}

INSTANTIATE_TEST_SUITE_P(Chains, KeptProducts, ::testing::ValuesIn(kKept),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What the node is ---------------------------------------------------------------------------

TEST(FuseAttention, ReadsAndWritesRows) {
  Heads h(DType::kFloat32);
  Graph graph = h.Finish({Rows(h, "merged")});
  FuseScores(graph);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.name, "softmax");
  EXPECT_EQ(node.attributes.Int("q_num_heads", 0), kHeads);
  EXPECT_EQ(node.attributes.Int("kv_num_heads", 0), kHeads);
  EXPECT_EQ(node.attributes.Float("scale", 0), static_cast<float>(1 / std::sqrt(8.0)));
  EXPECT_EQ(node.inputs, graph.inputs);
}

// A scale that has another reader stays, and what it makes is the operand.
TEST(FuseAttention, LeavesAScaleThatIsReadElsewhere) {
  Heads h(DType::kFloat32);
  const ValueId q = h.Times("scale", h.Q(), 0.5);
  const ValueId y = h.Values(h.Softmax(h.Scores(q, h.Turned(h.K()))), h.V());
  Graph graph = h.Finish({y, q});
  FuseScores(graph);
  EXPECT_EQ(NodesOf(graph), "Mul[scale] Attention[softmax+scores+turn+values]");
}

TEST(FuseAttention, IsSwitchedOffByName) {
  Heads h(DType::kFloat32);
  Graph graph = h.Finish({h.Values(h.Softmax(h.Scores(h.Q(), h.Turned(h.K()))), h.V())});
  Optimize(graph, {"fuse_attention", "fuse_transpose"});
  EXPECT_EQ(NodesOf(graph), "Transpose[turn] MatMul[scores] Softmax[softmax] MatMul[values]");
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "Attention[softmax+scores+turn+values]");
}

}  // namespace
}  // namespace halftone
