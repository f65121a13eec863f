// Scaled dot products: what becomes one Attention, what does not, and by how much results differ.
#include "src/passes/fuse_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/attention/attention.h"
#include "src/passes/fuse_softmax.h"
#include "src/passes/passes.h"
#include "tests/passes/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kHeads = 3;
constexpr std::int64_t kQueries = 5;
constexpr std::int64_t kLength = 13;
constexpr std::int64_t kSize = 8;
constexpr std::int64_t kValueSize = 6;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Heads : public Net {
 public:
  explicit Heads(DType dtype) : dtype_(dtype) {}

  ValueId Operand(const std::string& name, Shape shape) {
    return Input(name, std::move(shape), dtype_);
  }

  // Of heads, as they go into the products.
  ValueId Q() { return Operand("q", {kBatch, kHeads, kQueries, kSize}); }

  ValueId K() { return Operand("k", {kBatch, kHeads, kLength, kSize}); }

  ValueId V() { return Operand("v", {kBatch, kHeads, kLength, kValueSize}); }

  // Rows [batch, length, heads * size] as [batch, length, heads, size].
  ValueId Split(const std::string& name, std::int64_t length, std::int64_t size) {
    const ValueId rows = Operand(name, {kBatch, length, kHeads * size});
    return Add(OpKind::kReshape, name + ".split",
               {rows, Integers(name + ".shape", {kBatch, -1, kHeads, size})});
  }

  ValueId Turn(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    return Add(OpKind::kTranspose, name, {x}, With("perm", std::move(perm)));
  }

  // k^T of heads.
  ValueId Turned(ValueId k) { return Turn("turn", k, {0, 1, 3, 2}); }

  ValueId Scores(ValueId q, ValueId k) { return Add(OpKind::kMatMul, "scores", {q, k}); }

  ValueId Times(const std::string& name, ValueId x, double factor) {
    return Add(OpKind::kMul, name, {x, Number(factor)});
  }

  ValueId Over(const std::string& name, ValueId x, double divisor) {
    return Add(OpKind::kDiv, name, {x, Number(divisor)});
  }

  ValueId Softmax(ValueId x) {
    return Add(OpKind::kSoftmax, "softmax", {x}, With("axis", std::int64_t{-1}));
  }

  ValueId Values(ValueId p, ValueId v) { return Add(OpKind::kMatMul, "values", {p, v}); }

  // Softmax of Where(keep, x, fill), or the other way round.
  ValueId Kept(ValueId keep, ValueId x, double fill, bool drops = false) {
    const ValueId number = Number(fill);
    return Softmax(
        Add(OpKind::kWhere, "where",
            drops ? std::vector<ValueId>{keep, number, x} : std::vector<ValueId>{keep, x, number}));
  }

  // Each query sees what is before it, the last but one nothing.
  ValueId Causal() {
    Tensor keep(DType::kBool, {kQueries, kLength});
    for (std::int64_t i = 0; i < keep.ElementCount(); ++i) {
      const std::int64_t query = i / kLength;
      StoreDouble(DType::kBool, keep.mutable_data(), i,
                  query != kQueries - 2 && i % kLength <= query ? 1 : 0);
    }
    return Constant("causal", std::move(keep));
  }

  ValueId Number(double value) { return Net::Number(value, dtype_); }

 private:
  DType dtype_;
};

struct Case {
  const char* name;
  ValueId (*make)(Heads& h);
  const char* after;
  double scale = 1;
  double scaled_operands = 0;  // r of the bound
};

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

const Case kCases[] = {
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
     "Transpose[turn] Attention[softmax+scores+values]"},
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
    {"TheSameThreeTimes",
     [](Heads& h) {
       const ValueId x =
           h.Turn("turn", h.Operand("x", {kBatch, kLength, kHeads, kSize}), {0, 2, 1, 3});
       const ValueId k = h.Turn("turn.k", x, {0, 1, 3, 2});
       return h.Turn("back", h.Values(h.Softmax(h.Scores(x, k)), x), {0, 2, 1, 3});
     },
     "Reshape[turn] Attention[softmax+scores+turn.k+values] Reshape[back]"},
};

void FuseScores(Graph& graph) {
  FuseSoftmax(graph);
  FuseAttention(graph);
}

class FusedAttention : public ::testing::TestWithParam<Case> {};

// The bound of fuse_attention.h with its largest terms: operands and mask are at most 1, so A and
// |scale s| at most scale * size, the moved weights at most e^2d of what they were.
TEST_P(FusedAttention, AgreesWithTheChain) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Heads h(dtype);
    const Graph before = h.Finish({c.make(h)});
    Graph after = before;
    FuseScores(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    testing::ExpectSettled(before, after, FuseScores);
    Rng rng(7);
    std::vector<Tensor> inputs;
    for (const ValueId id : before.inputs) {
      inputs.push_back(testing::RandomTensor(before.value(id).type, rng));
    }
    const double u = testing::UnitRoundoff(dtype);
    const double a = c.scale * kSize;
    const double d = u * ((1 + c.scaled_operands) * a + 3 * a + a + 1);
    const double step = testing::HalfSubnormalStep(dtype);
    testing::ExpectAgreement(before, after, inputs, [&](std::int64_t /*i*/, double y) {
      const double moved = std::exp(2 * d) * (1 + u) - 1 + kLength * step;
      return moved + u * (2 * std::abs(y) + moved) + 2 * step;
    });
  }
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
    {"MaskAndWhere",
     [](Heads& h) {
       const ValueId s = h.Scores(h.Q(), h.Turned(h.K()));
       const ValueId sum = h.Add(OpKind::kAdd, "mask", {s, h.Operand("m", {kLength})});
       return std::vector{h.Values(h.Kept(h.Causal(), sum, -1e4), h.V())};
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
  Optimize(graph, {"fuse_attention"});
  EXPECT_EQ(NodesOf(graph), "Transpose[turn] MatMul[scores] Softmax[softmax] MatMul[values]");
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph), "Attention[softmax+scores+turn+values]");
}

}  // namespace
}  // namespace halftone
