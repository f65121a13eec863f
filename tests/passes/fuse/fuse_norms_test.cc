// Chains that are a normalisation: what is fused, what is not, and by how much the results differ.
#include "src/passes/fuse/fuse_norms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fusion_check.h"
#include "tests/support/graph_pass.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;
using Axes = std::vector<std::int64_t>;

constexpr std::int64_t kLength = 24;
constexpr double kEpsilon = 1e-3;

// Writes a chain of x; the names of its nodes are n0, n1, ... in order.
class Writer : public Net {
 public:
  explicit Writer(DType dtype, Axes axes = {-1}) : dtype_(dtype), axes_(std::move(axes)) {
    x = Input("x", {3, 5, kLength}, dtype);
  }

  ValueId Node(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return Add(op, "n" + std::to_string(count_++), std::move(inputs), std::move(attributes));
  }

  ValueId Mean(ValueId a, std::int64_t keepdims = 1) {
    return Node(OpKind::kReduceMean, {a, AxesConstant()}, With("keepdims", keepdims));
  }

  // As a sum times 1 / count.
  ValueId Share(ValueId a) {
    const ValueId sum = Node(OpKind::kReduceSum, {a, AxesConstant()});
    return Mul(sum, Number(1.0 / kLength));
  }

  ValueId Sub(ValueId a, ValueId b) { return Node(OpKind::kSub, {a, b}); }

  ValueId Mul(ValueId a, ValueId b) { return Node(OpKind::kMul, {a, b}); }

  ValueId Div(ValueId a, ValueId b) { return Node(OpKind::kDiv, {a, b}); }

  ValueId Plus(ValueId a, ValueId b) { return Node(OpKind::kAdd, {a, b}); }

  ValueId Power(ValueId a, double b) { return Node(OpKind::kPow, {a, Number(b)}); }

  ValueId Max(ValueId a, ValueId b) { return Node(OpKind::kMax, {a, b}); }

  ValueId Shifted(ValueId a) { return Plus(a, Number(kEpsilon)); }

  ValueId Root(ValueId a) { return Node(OpKind::kSqrt, {Shifted(a)}); }

  ValueId Reciprocal(ValueId a) { return Node(OpKind::kReciprocal, {a}); }

  ValueId Number(double value) { return Net::Number(value, dtype_); }

  ValueId Gamma(Shape shape = {kLength}) {
    return Weights("gamma", std::move(shape), -2, 2, dtype_);
  }

  ValueId Beta(Shape shape = {kLength}) { return Weights("beta", std::move(shape), -2, 2, dtype_); }

  ValueId x = kNoValue;

 private:
  ValueId AxesConstant() { return Integers("axes" + std::to_string(count_), axes_); }

  DType dtype_;
  Axes axes_;
  int count_ = 0;
};

using Make = ValueId (*)(Writer& w);

// One element of the exact result.
struct Element {
  double x = 0;
  double mean = 0;
  double variance = 0;
  double gamma = 1;
  double beta = 0;
  double y = 0;

  [[nodiscard]] double s() const { return std::sqrt(variance + kEpsilon); }

  [[nodiscard]] double n() const { return std::abs(x - mean) / s(); }

  [[nodiscard]] double q() const { return std::abs(mean) / s(); }

  [[nodiscard]] double r() const { return (mean * mean + variance) / (s() * s()); }
};

// In units of u. Means may be sums times a rounded 1 / count: 3, else 1.
//   x - m    3 q + |n|, relative to s
//   variance of it: twice 3 q + 1, square 1, mean 3, sum with epsilon 1: 6 q + 7
//   root     passes half and rounds: 3 q + 4.5; its reciprocal 3 q + 5.5
//   n        3 q + |n| (1 + 3 q + 5.5 + 1); times gamma one more: 3 q + |n| (3 q + 8.5)
//   y        sum 1; fused 1
double TwoPasses(const Element& e) {
  return std::abs(e.gamma) * (3 * e.q() + e.n() * (3 * e.q() + 9)) + 2 * std::abs(e.y);
}

// E[x^2] 4, m^2 7, their difference 1 of v: at most 11 (m^2 + v), with epsilon 11 r + 1 of s^2; the
// root passes half and rounds, its reciprocal: 5.5 r + 2.5; n and gamma as above:
// 3 q + |n| (5.5 r + 5.5).
double OnePass(const Element& e) {
  return std::abs(e.gamma) * (3 * e.q() + e.n() * (6 * e.r() + 6)) + 2 * std::abs(e.y);
}

// gamma / s is off by 3 q + 6.5, its product with x by one more, with m by four; beta - m gamma / s
// rounds by one of beta and of m gamma / s.
double MultipliedOut(const Element& e) {
  return std::abs(e.gamma) * (std::abs(e.x) + std::abs(e.mean)) / e.s() * (3 * e.q() + 12) +
         std::abs(e.beta) + 2 * std::abs(e.y);
}

// Square, sum, product 3u, epsilon: 6u, the root passes half; root, reciprocal, two products,
// fused.
double RootMeanSquare(const Element& e) {
  return 8 * std::abs(e.y);
}

struct Case {
  const char* name;
  testing::GraphPass pass;
  Make make;
  const char* after;
  double (*bound)(const Element& element);
};

const Case kCases[] = {
    {"OfPyTorch", FuseLayerNorm,
     [](Writer& w) {
       const ValueId d = w.Sub(w.x, w.Mean(w.x));
       const ValueId root = w.Root(w.Mean(w.Power(d, 2)));
       return w.Plus(w.Mul(w.Div(d, root), w.Gamma()), w.Beta());
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8]", TwoPasses},
    {"WithTwoDifferences", FuseLayerNorm,  // as PyTorch exported it at first
     [](Writer& w) {
       const ValueId mean = w.Mean(w.x);
       const ValueId d = w.Sub(w.x, mean);
       const ValueId root = w.Root(w.Mean(w.Power(w.Sub(w.x, mean), 2)));
       return w.Plus(w.Beta(), w.Mul(w.Gamma(), w.Div(d, root)));
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8+n9]", TwoPasses},
    {"ByReciprocal", FuseLayerNorm,
     [](Writer& w) {
       const ValueId d = w.Sub(w.x, w.Mean(w.x));
       const ValueId inverse = w.Reciprocal(w.Root(w.Mean(w.Mul(d, d))));
       return w.Plus(w.Mul(d, w.Mul(inverse, w.Gamma())), w.Beta());
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8+n9]", TwoPasses},
    {"ByPower", FuseLayerNorm,
     [](Writer& w) {
       const ValueId d = w.Sub(w.x, w.Mean(w.x));
       return w.Mul(d, w.Power(w.Shifted(w.Mean(w.Mul(d, d))), -0.5));
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6]", TwoPasses},
    {"WithoutBias", FuseLayerNorm,
     [](Writer& w) {
       const ValueId d = w.Sub(w.x, w.Mean(w.x));
       const ValueId root = w.Root(w.Mean(w.Power(d, 2)));
       return w.Mul(w.Div(d, root), w.Gamma({1, 1, kLength}));
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7]", TwoPasses},
    {"WithOneFactor", FuseLayerNorm,
     [](Writer& w) {
       const ValueId d = w.Sub(w.x, w.Mean(w.x));
       const ValueId root = w.Root(w.Mean(w.Power(d, 2)));
       return w.Plus(w.Mul(w.Div(d, root), w.Gamma({})), w.Beta({1}));
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8]", TwoPasses},
    {"OfFlax", FuseLayerNorm,
     [](Writer& w) {
       const ValueId mean = w.Share(w.x);
       const ValueId square = w.Share(w.Mul(w.x, w.x));
       const ValueId variance = w.Max(w.Number(0), w.Sub(square, w.Mul(mean, mean)));
       const ValueId inverse = w.Reciprocal(w.Root(variance));
       const ValueId factor = w.Mul(inverse, w.Gamma());
       const ValueId d = w.Sub(w.x, mean);
       return w.Plus(w.Mul(d, factor), w.Beta());
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8+n9+n10+n11+n12+n13+n14]", OnePass},
    {"OfTensorFlow", FuseLayerNorm,
     [](Writer& w) {
       const ValueId mean = w.Mean(w.x);
       const ValueId d = w.Sub(w.x, mean);
       const ValueId inverse = w.Reciprocal(w.Root(w.Mean(w.Mul(d, d))));
       const ValueId factor = w.Mul(inverse, w.Gamma());
       const ValueId scaled = w.Mul(w.x, factor);
       return w.Plus(scaled, w.Sub(w.Beta(), w.Mul(mean, factor)));
     },
     "LayerNormalization[n0+n1+n2+n3+n4+n5+n6+n7+n8+n9+n10+n11]", MultipliedOut},
    {"RmsByDivision", FuseRmsNorm,
     [](Writer& w) { return w.Mul(w.Div(w.x, w.Root(w.Mean(w.Power(w.x, 2)))), w.Gamma()); },
     "RMSNormalization[n1+n0+n2+n3+n4+n5]", RootMeanSquare},
    {"RmsByReciprocal", FuseRmsNorm,
     [](Writer& w) {
       const ValueId inverse = w.Reciprocal(w.Root(w.Share(w.Mul(w.x, w.x))));
       return w.Mul(w.Gamma(), w.Mul(w.x, inverse));
     },
     "RMSNormalization[n1+n0+n2+n3+n4+n5+n6+n7]", RootMeanSquare},
    {"RmsByPower", FuseRmsNorm,
     [](Writer& w) {
       const ValueId inverse = w.Power(w.Shifted(w.Mean(w.Mul(w.x, w.x))), -0.5);
       return w.Mul(w.x, w.Mul(inverse, w.Gamma()));
     },
     "RMSNormalization[n1+n0+n2+n3+n4+n5]", RootMeanSquare},
    {"RmsByQuotient", FuseRmsNorm,
     [](Writer& w) {
       const ValueId root = w.Root(w.Mean(w.Mul(w.x, w.x)));
       return w.Mul(w.x, w.Div(w.Number(1), root));
     },
     "RMSNormalization[n1+n0+n2+n3+n4+n5]", RootMeanSquare},
};

class FusedNorm : public ::testing::TestWithParam<Case> {};

// The constant `name`, one value per element of a row; 1 value is repeated.
double ConstantAt(const Graph& graph, std::string_view name, std::int64_t i, double absent) {
  for (const Value& value : graph.values) {
    if (value.name == name) {
      const std::vector<double> all = DoublesOf(*value.constant);
      return all[static_cast<std::size_t>(i) % all.size()];
    }
  }
  return absent;
}

Element ElementOf(const Graph& graph, const std::vector<double>& x, std::int64_t i, double y,
                  bool centers) {
  Element e{.x = x[static_cast<std::size_t>(i)], .y = y};
  const auto row = x.begin() + i / kLength * kLength;
  for (auto at = row; at < row + kLength; ++at) {
    e.mean += centers ? *at / kLength : 0;
  }
  for (auto at = row; at < row + kLength; ++at) {
    e.variance += (*at - e.mean) * (*at - e.mean) / kLength;
  }
  e.gamma = ConstantAt(graph, "gamma", i % kLength, 1);
  e.beta = ConstantAt(graph, "beta", i % kLength, 0);
  return e;
}

TEST_P(FusedNorm, AgreesWithTheChain) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Writer w(dtype);
    const Graph before = w.Finish({c.make(w)});
    Graph after = before;
    c.pass(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    testing::ExpectSettled(before, after, c.pass);
    Rng rng(11);
    const std::vector<Tensor> inputs = {
        testing::RandomTensor(before.value(before.inputs[0]).type, rng, -2, 3)};
    const std::vector<double> x = DoublesOf(inputs[0]);
    const double u = testing::UnitRoundoff(dtype);
    testing::ExpectAgreement(before, after, inputs, [&](std::int64_t i, double y) {
      const Element e =
          ElementOf(before, x, i, y, std::string_view(c.after).starts_with("LayerNormalization"));
      // The second order is at most 16u of the first; elements are at most 3, gamma 2, 1/s 1.5.
      return u * (1 + 16 * u) * c.bound(e) + 16 * 9 * testing::HalfSubnormalStep(dtype);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Chains, FusedNorm, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

ValueId PlainLayerNorm(Writer& w, ValueId gamma) {
  const ValueId d = w.Sub(w.x, w.Mean(w.x));
  return w.Mul(w.Div(d, w.Root(w.Mean(w.Power(d, 2)))), gamma);
}

TEST(FuseLayerNorm, TakesTheLastAxesInAnyOrder) {
  for (const Axes& axes : {Axes{-1}, Axes{2}, Axes{1, 2}, Axes{-1, -2}, Axes{2, 0, 1}}) {
    Writer w(DType::kFloat32, axes);
    Graph graph = w.Finish({PlainLayerNorm(w, w.Number(2))});
    FuseLayerNorm(graph);
    ASSERT_EQ(graph.nodes.size(), 1U) << axes.size();
    const Node& node = graph.nodes[0];
    EXPECT_EQ(node.attributes.Int("axis", 0), -static_cast<std::int64_t>(axes.size()));
    EXPECT_EQ(node.attributes.Float("epsilon", 0), static_cast<float>(kEpsilon));
    EXPECT_EQ(graph.value(node.inputs[1]).name, "n0/scale");
    EXPECT_EQ(graph.value(node.inputs[1]).type.shape.rank(), static_cast<int>(axes.size()));
  }
}

TEST(FuseLayerNorm, LeavesOtherAxes) {
  for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 2}}) {
    Writer w(DType::kFloat32, axes);
    Graph graph = w.Finish({PlainLayerNorm(w, w.Number(2))});
    FuseLayerNorm(graph);
    EXPECT_EQ(graph.nodes.size(), 8U);
  }
}

TEST(FuseLayerNorm, LeavesAGammaThatVariesByRow) {
  Writer w(DType::kFloat32);
  Graph graph = w.Finish({PlainLayerNorm(w, w.Gamma({5, 1}))});
  FuseLayerNorm(graph);
  EXPECT_EQ(NodesOf(graph), "LayerNormalization[n0+n1+n2+n3+n4+n5+n6] Mul[n7]");
}

TEST(FuseLayerNorm, LeavesAGammaThatIsComputed) {
  Writer w(DType::kFloat32);
  Graph graph = w.Finish({PlainLayerNorm(w, w.Input("gamma", {kLength}))});
  FuseLayerNorm(graph);
  EXPECT_EQ(NodesOf(graph), "LayerNormalization[n0+n1+n2+n3+n4+n5+n6] Mul[n7]");
}

// x [4, 4] minus its row means as a row: not the mean of each row.
TEST(FuseLayerNorm, LeavesMeansThatAreBroadcastAlongTheOtherAxis) {
  Net net;
  const ValueId x = net.Input("x", {4, 4});
  const auto mean = [&](const std::string& name, ValueId a) {
    return net.Add(OpKind::kReduceMean, name, {a, net.Integers(name + "/axes", {1})},
                   With("keepdims", std::int64_t{0}));
  };
  const ValueId d = net.Add(OpKind::kSub, "sub", {x, mean("mean", x)});
  const ValueId variance = mean("variance", net.Add(OpKind::kMul, "square", {d, d}));
  const ValueId shifted = net.Add(OpKind::kAdd, "add", {variance, net.Number(kEpsilon)});
  const ValueId root = net.Add(OpKind::kSqrt, "sqrt", {shifted});
  Graph graph = net.Finish({net.Add(OpKind::kDiv, "div", {d, root})});
  FuseLayerNorm(graph);
  EXPECT_EQ(graph.nodes.size(), 7U);
}

TEST(FuseLayerNorm, LeavesASumWithAnotherCount) {
  Writer w(DType::kFloat32);
  const ValueId d = w.Sub(w.x, w.Share(w.x));
  const ValueId sum = w.Node(OpKind::kReduceSum, {w.Mul(d, d), w.Integers("axes", {-1})});
  const ValueId sample_variance = w.Mul(sum, w.Number(1.0 / (kLength - 1)));
  Graph graph = w.Finish({w.Div(d, w.Root(sample_variance))});
  const std::size_t nodes = graph.nodes.size();
  FuseLayerNorm(graph);
  EXPECT_EQ(graph.nodes.size(), nodes);
}

TEST(FuseRmsNorm, LeavesARootThatIsAnOutput) {
  Writer w(DType::kFloat32);
  const ValueId root = w.Root(w.Mean(w.Mul(w.x, w.x)));
  Graph graph = w.Finish({w.Div(w.x, root), root});
  FuseRmsNorm(graph);
  EXPECT_EQ(graph.nodes.size(), 5U);
}

}  // namespace
}  // namespace halftone
