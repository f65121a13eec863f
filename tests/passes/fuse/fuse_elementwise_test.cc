// Chains that are one activation: what is fused, what is not, and by how much the results differ.
#include "src/passes/fuse/fuse_elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/fusion_check.h"
#include "tests/support/graph_pass.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;

// Writes a chain of x; the names of its nodes are n0, n1, ... in order.
class Writer : public Net {
 public:
  explicit Writer(DType dtype, Shape shape = {4001}) : dtype_(dtype) {
    x = Input("x", std::move(shape), dtype);
  }

  ValueId Node(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return Add(op, "n" + std::to_string(count_++), std::move(inputs), std::move(attributes));
  }

  ValueId Mul(ValueId a, ValueId b) { return Node(OpKind::kMul, {a, b}); }

  ValueId Mul(ValueId a, double b) { return Mul(a, Number(b)); }

  ValueId Div(ValueId a, double b) { return Node(OpKind::kDiv, {a, Number(b)}); }

  ValueId Plus(ValueId a, ValueId b) { return Node(OpKind::kAdd, {a, b}); }

  // With a literal such as 1.0: 1 is a ValueId.
  ValueId Plus(ValueId a, double b) { return Plus(a, Number(b)); }

  ValueId Power(ValueId a, double b) { return Node(OpKind::kPow, {a, Number(b)}); }

  ValueId Of(OpKind op, ValueId a) { return Node(op, {a}); }

  ValueId Number(double value, Shape shape = {}) {
    return Net::Number(value, dtype_, std::move(shape));
  }

  ValueId Clip(ValueId a) { return Node(OpKind::kClip, {a, Number(0), Number(6)}); }

  ValueId x = kNoValue;

 private:
  DType dtype_;
  int count_ = 0;
};

using Make = ValueId (*)(Writer& w);

const double kRootHalf = std::sqrt(0.5);
const double kRootTwo = std::sqrt(2.0);
const double kRootTwoOverPi = std::sqrt(2 / 3.14159265358979323846);

struct Case {
  const char* name;
  testing::GraphPass pass;
  Make make;
  const char* after;
  // |unfused - fused| <= (per_y |y| + per_xy |x y| + per_x |x|) u, and where results are subnormal
  // 9 nodes, times |x| <= 8, of half a step each.
  double per_x = 0;
  double per_y = 0;
  double per_xy = 0;
};

// t erf'(t) <= 0.484, t tanh'(t) <= 0.448. u of each rounding; a constant may be off by 2u.
//   erf   argument 3u: 1.45u; erf u; sum at most 2, 2u; half of 4.45u, two products u: 4.3u; fused
//   u tanh  cubic 5u, sum u, factor 3u: 9u * 0.448 = 4.04u; tanh u; sum 2u; half of 7.04u, two
//         products: 5.6u; fused u
constexpr double kGelu = 7;
// Product with a: |a x| u; sigmoid, product, fused u each; one spare for second order.
constexpr double kSwish = 4;
// Sum at most 6, u; clipped / 6 with a constant: u + 3u; product, fused u each.
constexpr double kHardSwish = 6;
// Log(Add(Exp)): exp u and sum u are 2u of ln, its own u 0.45u through tanh; tanh, product, fused
// u.
constexpr double kMish = 6;

const Case kCases[] = {
    {"GeluOfPyTorch", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Div(w.x, kRootTwo)), 1.0);
       return w.Mul(w.Mul(w.x, s), 0.5);
     },
     "Gelu[n1+n0+n2+n3+n4]", kGelu},
    {"GeluOfTensorFlow", FuseGelu,
     [](Writer& w) {
       const ValueId half = w.Mul(w.Number(0.5), w.x);
       const ValueId s = w.Plus(w.Number(1), w.Of(OpKind::kErf, w.Mul(w.x, kRootHalf)));
       return w.Mul(half, s);
     },
     "Gelu[n2+n0+n1+n3+n4]", kGelu},
    {"GeluHalfOfTheSum", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Mul(w.x, kRootHalf)), 1.0);
       return w.Mul(w.Div(s, 2), w.x);
     },
     "Gelu[n1+n0+n2+n3+n4]", kGelu},
    {"GeluByDistribution", FuseGelu,
     [](Writer& w) {
       const ValueId half = w.Mul(w.Of(OpKind::kErf, w.Mul(w.x, kRootHalf)), 0.5);
       return w.Mul(w.x, w.Plus(half, 0.5));
     },
     "Gelu[n1+n0+n2+n3+n4]", kGelu},
    {"GeluDividedLast", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Mul(w.x, kRootHalf)), 1.0);
       return w.Div(w.Mul(s, w.x), 2);
     },
     "Gelu[n1+n0+n2+n3+n4]", kGelu},
    {"GeluTanhOfPyTorch", FuseGelu,
     [](Writer& w) {
       const ValueId half = w.Mul(w.x, 0.5);
       const ValueId inner = w.Plus(w.x, w.Mul(w.Power(w.x, 3), 0.044715));
       return w.Mul(half, w.Plus(w.Of(OpKind::kTanh, w.Mul(inner, kRootTwoOverPi)), 1.0));
     },
     "Gelu[n5+n0+n1+n2+n3+n4+n6+n7]", kGelu},
    {"GeluTanhByProducts", FuseGelu,
     [](Writer& w) {
       const ValueId cube = w.Mul(w.x, w.Mul(w.x, w.x));
       const ValueId inner = w.Plus(w.Mul(w.Number(0.044715), cube), w.x);
       const ValueId s = w.Plus(w.Of(OpKind::kTanh, w.Mul(w.Number(kRootTwoOverPi), inner)), 1.0);
       return w.Mul(w.x, w.Mul(w.Number(0.5), s));
     },
     "Gelu[n5+n0+n1+n2+n3+n4+n6+n7+n8]", kGelu},
    {"GeluTanhFactored", FuseGelu,
     [](Writer& w) {
       const ValueId x2 = w.Power(w.x, 2);
       const ValueId inner = w.Mul(w.x, w.Plus(w.Mul(x2, 0.044715), 1.0));
       const ValueId s = w.Plus(w.Of(OpKind::kTanh, w.Mul(inner, kRootTwoOverPi)), 1.0);
       return w.Mul(w.Mul(w.x, s), 0.5);
     },
     "Gelu[n5+n0+n1+n2+n3+n4+n6+n7+n8]", kGelu},
    {"GeluTanhWithFoldedConstants", FuseGelu,
     [](Writer& w) {
       const ValueId inner =
           w.Plus(w.Mul(w.Mul(w.x, w.x), 0.044715 * kRootTwoOverPi), kRootTwoOverPi);
       const ValueId half = w.Mul(w.Of(OpKind::kTanh, w.Mul(w.x, inner)), 0.5);
       return w.Mul(w.x, w.Plus(half, 0.5));
     },
     "Gelu[n4+n0+n1+n2+n3+n5+n6+n7]", kGelu},
    {"GeluTanhOfJax", FuseGelu,
     [](Writer& w) {
       const ValueId scaled = w.Mul(w.x, 0.044715);
       const ValueId cubic = w.Mul(scaled, w.Mul(w.x, w.x));
       const ValueId t = w.Of(OpKind::kTanh, w.Mul(w.Plus(w.x, cubic), kRootTwoOverPi));
       return w.Mul(w.Mul(w.x, 0.5), w.Plus(t, 1.0));
     },
     "Gelu[n5+n0+n1+n2+n3+n4+n6+n7+n8]", kGelu},
    {"GeluTanhOfFlax", FuseGelu,
     [](Writer& w) {
       const ValueId cubic = w.Mul(w.x, w.Mul(w.x, w.Mul(w.Number(0.044715), w.x)));
       const ValueId t = w.Of(OpKind::kTanh, w.Mul(w.Number(kRootTwoOverPi), w.Plus(w.x, cubic)));
       return w.Mul(w.x, w.Mul(w.Number(0.5), w.Plus(w.Number(1), t)));
     },
     "Gelu[n5+n0+n1+n2+n3+n4+n6+n7+n8]", kGelu},
    {"Silu", FuseSwish, [](Writer& w) { return w.Mul(w.x, w.Of(OpKind::kSigmoid, w.x)); },
     "Swish[n0+n1]", 0, kSwish},
    {"QuickGelu", FuseSwish,
     [](Writer& w) { return w.Mul(w.Of(OpKind::kSigmoid, w.Mul(w.Number(1.702), w.x)), w.x); },
     "Swish[n1+n0+n2]", 0, kSwish, 1.71},
    {"HardSwishByGate", FuseHardSwish,
     [](Writer& w) {
       Attributes attributes;
       attributes.Set("alpha", 1.0F / 6);
       attributes.Set("beta", 0.5F);
       return w.Mul(w.x, w.Node(OpKind::kHardSigmoid, {w.x}, attributes));
     },
     "HardSwish[n0+n1]", kHardSwish},
    {"HardSwishOfPyTorch", FuseHardSwish,
     [](Writer& w) { return w.Div(w.Mul(w.x, w.Clip(w.Plus(w.x, 3.0))), 6); },
     "HardSwish[n1+n0+n2+n3]", kHardSwish},
    {"HardSwishByAFactor", FuseHardSwish,
     [](Writer& w) { return w.Mul(w.Mul(w.Clip(w.Plus(w.x, 3.0)), 1.0 / 6), w.x); },
     "HardSwish[n1+n0+n2+n3]", kHardSwish},
    {"HardSwishDividedFirst", FuseHardSwish,
     [](Writer& w) {
       const ValueId sixth = w.Div(w.x, 6);
       return w.Mul(sixth, w.Clip(w.Plus(w.Number(3), w.x)));
     },
     "HardSwish[n2+n0+n1+n3]", kHardSwish},
    {"Mish", FuseMish,
     [](Writer& w) { return w.Mul(w.x, w.Of(OpKind::kTanh, w.Of(OpKind::kSoftplus, w.x))); },
     "Mish[n1+n0+n2]", kMish},
    {"MishByLog", FuseMish,
     [](Writer& w) {
       const ValueId sum = w.Plus(w.Of(OpKind::kExp, w.x), 1.0);
       return w.Mul(w.Of(OpKind::kTanh, w.Of(OpKind::kLog, sum)), w.x);
     },
     "Mish[n3+n0+n1+n2+n4]", kMish},
};

class FusedActivation : public ::testing::TestWithParam<Case> {};

// From -8 to 8, and the infinities and NaN.
Tensor Line(const TensorType& type) {
  Tensor x(type);
  const std::int64_t count = x.ElementCount();
  for (std::int64_t i = 0; i < count; ++i) {
    const double step = 16.0 / static_cast<double>(count - 4);
    StoreDouble(type.dtype, x.mutable_data(), i, -8 + step * static_cast<double>(i));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  StoreDouble(type.dtype, x.mutable_data(), count - 3, infinity);
  StoreDouble(type.dtype, x.mutable_data(), count - 2, -infinity);
  StoreDouble(type.dtype, x.mutable_data(), count - 1, std::nan(""));
  return x;
}

TEST_P(FusedActivation, AgreesWithTheChain) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Writer w(dtype);
    const Graph before = w.Finish({c.make(w)});
    Graph after = before;
    c.pass(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    testing::ExpectSettled(before, after, c.pass);
    const std::vector<Tensor> inputs = {Line(before.value(before.inputs[0]).type)};
    const std::vector<double> x = DoublesOf(inputs[0]);
    const double u = testing::UnitRoundoff(dtype);
    testing::ExpectAgreement(before, after, inputs, [&](std::int64_t i, double y) {
      const double at = std::abs(x[static_cast<std::size_t>(i)]);
      return u * (c.per_x * at + c.per_y * std::abs(y) + c.per_xy * std::abs(at * y)) +
             9 * 8 * testing::HalfSubnormalStep(dtype);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Chains, FusedActivation, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What stays as it is ------------------------------------------------------------------------

struct KeptCase {
  const char* name;
  testing::GraphPass pass;
  Make make;
};

const KeptCase kKept[] = {
    {"GeluWithAnotherSlope", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Div(w.x, 1.5)), 1.0);
       return w.Mul(w.Mul(w.x, s), 0.5);
     }},
    {"GeluOfTwoValues", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Div(w.x, kRootTwo)), 1.0);
       return w.Mul(w.Mul(w.Input("other", {4001}), s), 0.5);
     }},
    {"GeluThatIsBroadcast", FuseGelu,
     [](Writer& w) {
       const ValueId s = w.Plus(w.Of(OpKind::kErf, w.Div(w.x, kRootTwo)), 1.0);
       return w.Mul(w.Mul(w.x, s), w.Number(0.5, {1, 1, 1}));
     }},
    {"SwishWithASlopePerElement", FuseSwish,
     [](Writer& w) {
       return w.Mul(w.x, w.Of(OpKind::kSigmoid, w.Mul(w.x, w.Weights("slopes", {4001}))));
     }},
    {"SquaredSigmoid", FuseSwish,
     [](Writer& w) {
       const ValueId gate = w.Of(OpKind::kSigmoid, w.x);
       return w.Mul(gate, gate);
     }},
    {"HardSwishWithADefaultGate", FuseHardSwish,
     [](Writer& w) { return w.Mul(w.x, w.Of(OpKind::kHardSigmoid, w.x)); }},
    {"HardSwishWithAnotherShift", FuseHardSwish,
     [](Writer& w) { return w.Div(w.Mul(w.x, w.Clip(w.Plus(w.x, 2.0))), 6); }},
    {"MishOfTwoValues", FuseMish,
     [](Writer& w) {
       return w.Mul(w.Of(OpKind::kAbs, w.x), w.Of(OpKind::kTanh, w.Of(OpKind::kSoftplus, w.x)));
     }},
};

class KeptChain : public ::testing::TestWithParam<KeptCase> {};

TEST_P(KeptChain, IsNotFused) {
  Writer w(DType::kFloat32);
  Graph graph = w.Finish({GetParam().make(w)});
  const Hash128 before = HashOf(graph);
  GetParam().pass(graph);
  EXPECT_EQ(HashOf(graph), before) << NodesOf(graph);
}

INSTANTIATE_TEST_SUITE_P(Chains, KeptChain, ::testing::ValuesIn(kKept),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FuseSwish, LeavesAnInnerValueThatIsAnOutput) {
  Writer w(DType::kFloat32);
  const ValueId gate = w.Of(OpKind::kSigmoid, w.x);
  Graph graph = w.Finish({w.Mul(w.x, gate), gate});
  FuseSwish(graph);
  EXPECT_EQ(NodesOf(graph), "Sigmoid[n0] Mul[n1]");
}

TEST(FuseSwish, LeavesAnInnerValueThatOthersRead) {
  Writer w(DType::kFloat32);
  const ValueId gate = w.Of(OpKind::kSigmoid, w.x);
  Graph graph = w.Finish({w.Mul(w.x, gate), w.Of(OpKind::kAbs, gate)});
  FuseSwish(graph);
  EXPECT_EQ(NodesOf(graph), "Sigmoid[n0] Mul[n1] Abs[n2]");
}

TEST(FuseSwish, LeavesDouble) {
  Net net;
  const ValueId x = net.Input("x", {3}, DType::kFloat64);
  Graph graph =
      net.Finish({net.Add(OpKind::kMul, "mul", {x, net.Add(OpKind::kSigmoid, "gate", {x})})});
  FuseSwish(graph);
  EXPECT_EQ(NodesOf(graph), "Sigmoid[gate] Mul[mul]");
}

// The second chain begins where the first ends.
TEST(FuseSwish, FusesChainsBehindEachOther) {
  Writer w(DType::kFloat32);
  const ValueId y = w.Mul(w.x, w.Of(OpKind::kSigmoid, w.x));
  Graph graph = w.Finish({w.Mul(y, w.Of(OpKind::kSigmoid, y))});
  FuseSwish(graph);
  EXPECT_EQ(NodesOf(graph), "Swish[n0+n1] Swish[n2+n3]");
  EXPECT_EQ(graph.nodes[1].inputs, graph.nodes[0].outputs);
}

TEST(FuseSwish, KeepsAlpha) {
  Writer w(DType::kFloat32);
  Graph graph = w.Finish({w.Mul(w.x, w.Of(OpKind::kSigmoid, w.Mul(w.x, 1.702)))});
  FuseSwish(graph);
  EXPECT_EQ(graph.nodes.at(0).attributes.Float("alpha", 0), 1.702F);
}

TEST(FuseGelu, WritesTheForm) {
  Writer w(DType::kFloat32);
  const ValueId inner = w.Plus(w.x, w.Mul(w.Power(w.x, 3), 0.044715));
  const ValueId t = w.Of(OpKind::kTanh, w.Mul(inner, kRootTwoOverPi));
  Graph graph = w.Finish({w.Mul(w.Mul(w.x, 0.5), w.Plus(t, 1.0))});
  FuseGelu(graph);
  EXPECT_EQ(graph.nodes.at(0).attributes.Text("approximate", ""), "tanh");
}

}  // namespace
}  // namespace halftone
