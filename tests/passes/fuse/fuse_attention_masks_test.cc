// Scaled dot products with masks: added, chosen by Where, or both.
#include <gtest/gtest.h>

#include "kernels/attention/attention.h"
#include "tests/support/attention_chains.h"

namespace halftone {
namespace {

using testing::AttentionChain;
using testing::Heads;
using testing::kBatch;
using testing::kHeads;
using testing::kInfinity;
using testing::kLength;
using testing::kQueries;
using testing::kSize;
using testing::kValueSize;

// As the exporters of GPT-2 write it: the causal mask first, then that of padding.
ValueId Gpt2(Heads& h, double fill, bool drops) {
  const ValueId s = h.Over("scale", h.Scores(h.Q(), h.Turned(h.K())), 2.83);
  const ValueId kept = h.Where(h.Causal(), s, fill, drops);
  const ValueId sum = h.Add(OpKind::kAdd, "mask", {kept, h.Operand("m", {kBatch, 1, 1, kLength})});
  return h.Values(h.Softmax(sum), h.V());
}

const AttentionChain kCases[] = {
    {"WhereOfGpt2",
     [](Heads& h) {
       const ValueId s = h.Over("scale", h.Scores(h.Q(), h.Turned(h.K())), 2.83);
       return h.Values(h.Kept(h.Causal(), s, -1e4), h.V());
     },
     "Attention[softmax+scale+where+scores+turn+values]", 1 / 2.83},
    {"WhereAsLargeAsScores",
     [](Heads& h) {
       const ValueId s = h.Over("scale", h.Scores(h.Q(), h.Turned(h.K())), 2.83);
       return h.Values(h.Kept(h.Causal(), s, -0.5), h.V());
     },
     "Attention[softmax+scale+where+scores+turn+values]", 1 / 2.83},
    {"WhereInfinity",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       return h.Values(h.Kept(h.Causal(), s, -kInfinity), h.V());
     },
     "Attention[softmax+where+scores+turn+values]"},
    {"Dropped",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       return h.Values(h.Kept(h.Causal(), s, -kInfinity, true), h.V());
     },
     "Attention[softmax+where+scores+turn+values]"},
    {"MaskThenWhere",
     [](Heads& h) {
       const ValueId s = h.Over("scale", h.Scores(h.Q(), h.Turned(h.K())), 2.83);
       const ValueId sum =
           h.Add(OpKind::kAdd, "mask", {s, h.Operand("m", {kBatch, 1, 1, kLength})});
       return h.Values(h.Kept(h.Causal(), sum, -1e4), h.V());
     },
     "Attention[softmax+scale+mask+where+scores+turn+values]", 1 / 2.83},
    {"WhereThenMaskOfGpt2", [](Heads& h) { return Gpt2(h, -1e4, false); },
     "Attention[softmax+scale+where+mask+scores+turn+values]", 1 / 2.83, 0, 1e4},
    {"WhereThenMask", [](Heads& h) { return Gpt2(h, -50, false); },
     "Attention[softmax+scale+where+mask+scores+turn+values]", 1 / 2.83, 0, 50},
    {"DroppedThenMask", [](Heads& h) { return Gpt2(h, -50, true); },
     "Attention[softmax+scale+where+mask+scores+turn+values]", 1 / 2.83, 0, 50},
    {"ThreeAxesWhereThenMask",
     [](Heads& h) {
       const ValueId q = h.Operand("q", {kHeads, kQueries, kSize});
       const ValueId k = h.Turn("turn", h.Operand("k", {kHeads, kLength, kSize}), {0, 2, 1});
       const ValueId kept = h.Where(h.Causal(), h.Scores(q, k), -50);
       const ValueId sum = h.Add(OpKind::kAdd, "mask", {h.Operand("m", {1, 1, kLength}), kept});
       return h.Values(h.Softmax(sum), h.Operand("v", {kHeads, kLength, kValueSize}));
     },
     "Attention[softmax+where+mask+scores+turn+values]", 1, 0, 50},
};

class MaskedAttention : public ::testing::TestWithParam<AttentionChain> {};

TEST_P(MaskedAttention, AgreesWithTheChain) {
  testing::ExpectAgreementWithTheChain(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Chains, MaskedAttention, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// Both masks are operands of the node, and the order of Add and Where is a fact of its fusion.
TEST(MaskedAttention, HasBothMasks) {
  Heads h(DType::kFloat32);
  Graph graph = h.Finish({Gpt2(h, -1e4, false)});
  const ValueId mask = graph.inputs.at(2);
  testing::FuseScores(graph);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const Node& node = graph.nodes[0];
  ASSERT_EQ(node.inputs.size(), kKeep + 1);
  EXPECT_EQ(node.inputs[kMask], mask);
  EXPECT_EQ(graph.value(node.inputs[kKeep]).name, "causal");
  EXPECT_EQ(node.fusion.attention, std::optional(StepAttention{.fill = -1e4F, .mask_last = true}));
}

}  // namespace
}  // namespace halftone
