// Scores with scale and mask: what is fused, what is not, and by how much the results differ.
#include "src/passes/fuse/fuse_softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;

constexpr std::int64_t kQueries = 5;
constexpr std::int64_t kLength = 19;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Scores : public Net {
 public:
  explicit Scores(DType dtype) : dtype_(dtype) { x = Input("x", {2, 3, kQueries, kLength}, dtype); }

  ValueId Node(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return Add(op, "n" + std::to_string(count_++), std::move(inputs), std::move(attributes));
  }

  ValueId Scaled(double factor) { return Node(OpKind::kMul, {x, Number(factor)}); }

  ValueId Divided(double divisor) { return Node(OpKind::kDiv, {x, Number(divisor)}); }

  ValueId Plus(ValueId a, ValueId b) { return Node(OpKind::kAdd, {a, b}); }

  ValueId Softmax(ValueId a, std::int64_t axis = -1) {
    return Node(OpKind::kSoftmax, {a}, With("axis", axis));
  }

  ValueId Number(double value) { return Net::Number(value, dtype_); }

  ValueId Mask(Shape shape) { return Input("mask", std::move(shape), dtype_); }

  // Each query keeps itself and what is before it.
  ValueId Causal() {
    Tensor keep(DType::kBool, {kQueries, kLength});
    for (std::int64_t i = 0; i < keep.ElementCount(); ++i) {
      StoreDouble(DType::kBool, keep.mutable_data(), i, i % kLength <= i / kLength ? 1 : 0);
    }
    return Constant("causal", std::move(keep));
  }

  ValueId Where(ValueId keep, ValueId a, double filled) {
    return Node(OpKind::kWhere, {keep, a, Number(filled)});
  }

  [[nodiscard]] double Lowest() const {
    return dtype_ == DType::kFloat16    ? -65504
           : dtype_ == DType::kBFloat16 ? -0x1.FEp127
                                        : -0x1.FFFFFEp127;
  }

  ValueId x = kNoValue;

 private:
  DType dtype_;
  int count_ = 0;
};

struct Case {
  const char* name;
  ValueId (*make)(Scores& s);
  const char* after;
  double scale = 1;
  double fill = 0;  // its magnitude, where a mask is added to it
};

const Case kCases[] = {
    {"Scaled", [](Scores& s) { return s.Softmax(s.Scaled(0.125)); }, "Softmax[n1+n0]", 0.125},
    {"Divided", [](Scores& s) { return s.Softmax(s.Divided(2.83)); }, "Softmax[n1+n0]", 1 / 2.83},
    {"Masked", [](Scores& s) { return s.Softmax(s.Plus(s.x, s.Mask({kLength}))); },
     "Softmax[n1+n0]"},
    {"ScaledAndMasked",
     [](Scores& s) {
       const ValueId scaled = s.Scaled(0.35);
       return s.Softmax(s.Plus(scaled, s.Mask({2, 1, 1, kLength})));
     },
     "Softmax[n2+n0+n1]", 0.35},
    {"MaskFirst",
     [](Scores& s) {
       const ValueId scaled = s.Divided(3);
       return s.Softmax(s.Plus(s.Mask({1, 1, kQueries, kLength}), scaled), 3);
     },
     "Softmax[n2+n0+n1]", 1.0 / 3},
    {"WhereInfinity",
     [](Scores& s) {
       const ValueId scaled = s.Divided(2.83);
       return s.Softmax(s.Where(s.Causal(), scaled, -kInfinity));
     },
     "Softmax[n2+n0+n1]", 1 / 2.83},
    {"WhereLowest", [](Scores& s) { return s.Softmax(s.Where(s.Causal(), s.x, s.Lowest())); },
     "Softmax[n1+n0]", 1},
    {"WhereOfGpt2",
     [](Scores& s) {
       const ValueId scaled = s.Divided(2.83);
       return s.Softmax(s.Where(s.Causal(), scaled, -1e4));
     },
     "Softmax[n2+n0+n1]", 1 / 2.83},
    {"WhereNothingIsKept",
     [](Scores& s) {
       const ValueId none = s.Constant("none", Tensor(DType::kBool, {kLength}));
       return s.Softmax(s.Where(none, s.x, -1e4));
     },
     "Softmax[n1+n0]"},
    {"MaskedFill",
     [](Scores& s) {
       const ValueId sum = s.Plus(s.Divided(2.83), s.Mask({kLength}));
       return s.Softmax(s.Node(OpKind::kWhere, {s.Causal(), s.Number(s.Lowest()), sum}));
     },
     "Softmax[n3+n0+n1+n2]", 1 / 2.83},
    {"AllThree",
     [](Scores& s) {
       const ValueId scaled = s.Scaled(0.35);
       const ValueId sum = s.Plus(scaled, s.Mask({kLength}));
       return s.Softmax(s.Where(s.Causal(), sum, -kInfinity));
     },
     "Softmax[n3+n0+n1+n2]", 0.35},
    {"WhereThenMask",
     [](Scores& s) {
       const ValueId kept = s.Where(s.Causal(), s.Divided(2.83), -1e4);
       return s.Softmax(s.Plus(kept, s.Mask({2, 1, 1, kLength})));
     },
     "Softmax[n3+n0+n1+n2]", 1 / 2.83, 1e4},
    {"MaskThenWhere",
     [](Scores& s) {
       const ValueId sum = s.Plus(s.Divided(2.83), s.Mask({2, 1, 1, kLength}));
       return s.Softmax(s.Where(s.Causal(), sum, -1e4));
     },
     "Softmax[n3+n0+n1+n2]", 1 / 2.83},
    {"WhereThenMaskFirst",
     [](Scores& s) {
       const ValueId kept = s.Where(s.Causal(), s.x, -kInfinity);
       return s.Softmax(s.Plus(s.Mask({kQueries, kLength}), kept));
     },
     "Softmax[n2+n0+n1]"},
    {"FillWhereThenMask",
     [](Scores& s) {
       const ValueId kept = s.Node(OpKind::kWhere, {s.Causal(), s.Number(-50), s.Scaled(0.35)});
       return s.Softmax(s.Plus(kept, s.Mask({kLength})));
     },
     "Softmax[n3+n0+n1+n2]", 0.35, 50},
};

class FusedSoftmax : public ::testing::TestWithParam<Case> {};

// The chain rounds scale x, t, and y, a divisor's reciprocal rounds once in float: d of t in all.
// log y is off by d_i, and by the logarithm of the mean of e^d with weights y.
TEST_P(FusedSoftmax, AgreesWithTheChain) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Scores s(dtype);
    const Graph before = s.Finish({c.make(s)});
    Graph after = before;
    FuseSoftmax(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    EXPECT_NEAR(after.nodes[0].fusion.softmax.value().scale, c.scale,
                4 * testing::UnitRoundoff(dtype) * c.scale);
    testing::ExpectSettled(before, after, FuseSoftmax);
    Rng rng(5);
    std::vector<Tensor> inputs;
    for (const ValueId id : before.inputs) {
      inputs.push_back(testing::RandomTensor(before.value(id).type, rng, -5, 5));
    }
    const std::vector<double> x = DoublesOf(inputs[0]);
    const std::vector<double> y = DoublesOf(testing::Evaluate(after, inputs).outputs[0]);
    const double u = testing::UnitRoundoff(dtype);
    const auto moved = [&](std::int64_t i) {  // masks are at most 5
      if (c.fill != 0 && i % kLength > i / kLength % kQueries) {
        return u * (c.fill + 5);  // one rounding of their sum in the chain
      }
      const double a = std::abs(c.scale * x[static_cast<std::size_t>(i)]);
      return u * (2 * a + a + (before.inputs.size() > 1 ? 5 : 0));
    };
    testing::ExpectAgreement(before, after, inputs, [&](std::int64_t i, double yi) {
      double mean = 0;
      for (std::int64_t k = i / kLength * kLength; k < (i / kLength + 1) * kLength; ++k) {
        mean += y[static_cast<std::size_t>(k)] * std::exp(moved(k));
      }
      // The weights are rounded themselves: (1 + u) once more.
      return yi * (std::exp(moved(i)) * mean * (1 + u) - 1) + 2 * u * yi +
             2 * testing::HalfSubnormalStep(dtype);  // both are rounded
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Chains, FusedSoftmax, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What stays as it is ------------------------------------------------------------------------

struct KeptCase {
  const char* name;
  ValueId (*make)(Scores& s);
};

const KeptCase kKept[] = {
    {"AnotherAxis", [](Scores& s) { return s.Softmax(s.Scaled(0.5), 1); }},
    {"BeforeOpset13",
     [](Scores& s) {
       Attributes attributes = With("coerce_2d", std::int64_t{1});
       attributes.Set("axis", std::int64_t{3});
       return s.Node(OpKind::kSoftmax, {s.Scaled(0.5)}, attributes);
     }},
    {"ScaleOfAnyValue",
     [](Scores& s) {
       return s.Softmax(s.Node(OpKind::kMul, {s.x, s.Input("scale", {})}));
     }},
    {"DividedByZero", [](Scores& s) { return s.Softmax(s.Divided(0)); }},
    {"MaskPerRow",
     [](Scores& s) {
       return s.Softmax(s.Plus(s.x, s.Mask({kQueries, 1})));
     }},
    {"MaskThatMakesTheResultLarger",
     [](Scores& s) {
       return s.Softmax(s.Plus(s.x, s.Mask({4, 1, 1, kQueries, kLength})));
     }},
    {"WhereOfTwoNumbers",
     [](Scores& s) {
       return s.Softmax(s.Node(
           OpKind::kWhere,
           {s.Input("keep", {2, 3, kQueries, kLength}, DType::kBool), s.Number(1), s.Number(0)}));
     }},
};

class KeptSoftmax : public ::testing::TestWithParam<KeptCase> {};

TEST_P(KeptSoftmax, IsNotFused) {
  Scores s(DType::kFloat32);
  Graph graph = s.Finish({GetParam().make(s)});
  const Hash128 before = HashOf(graph);
  FuseSoftmax(graph);
  EXPECT_EQ(HashOf(graph), before) << NodesOf(graph);
}

INSTANTIATE_TEST_SUITE_P(Chains, KeptSoftmax, ::testing::ValuesIn(kKept),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FuseSoftmax, TakesAConditionThatIsComputed) {
  Scores s(DType::kFloat32);
  const ValueId keep = s.Input("keep", {kQueries, kLength}, DType::kBool);
  Graph graph = s.Finish({s.Softmax(s.Where(keep, s.x, -kInfinity))});
  FuseSoftmax(graph);
  ASSERT_EQ(NodesOf(graph), "Softmax[n1+n0]");
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<ValueId>{s.x, kNoValue, keep}));
}

TEST(FuseSoftmax, LeavesScoresThatAreAnOutput) {
  Scores s(DType::kFloat32);
  const ValueId scaled = s.Scaled(0.5);
  Graph graph = s.Finish({s.Softmax(scaled), scaled});
  FuseSoftmax(graph);
  EXPECT_EQ(NodesOf(graph), "Mul[n0] Softmax[n1]");
}

TEST(FuseSoftmax, TheLargerOperandOfASumIsTheScores) {
  Scores s(DType::kFloat32);
  const ValueId larger = s.Mask({4, 2, 3, kQueries, kLength});
  Graph graph = s.Finish({s.Softmax(s.Plus(s.x, larger))});
  FuseSoftmax(graph);
  ASSERT_EQ(NodesOf(graph), "Softmax[n1+n0]");
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<ValueId>{larger, s.x}));
}

// A mask that several Softmax read stays one.
TEST(FuseSoftmax, SharesAMask) {
  Scores s(DType::kFloat32);
  const ValueId mask = s.Mask({kLength});
  const ValueId one = s.Softmax(s.Plus(s.x, mask));
  Graph graph = s.Finish({s.Softmax(s.Plus(one, mask))});
  FuseSoftmax(graph);
  ASSERT_EQ(NodesOf(graph), "Softmax[n1+n0] Softmax[n3+n2]");
  EXPECT_EQ(graph.nodes[0].inputs[1], mask);
  EXPECT_EQ(graph.nodes[1].inputs[1], mask);
}

}  // namespace
}  // namespace halftone
