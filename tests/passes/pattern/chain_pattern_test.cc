#include "src/passes/pattern/chain_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Net;

std::vector<ChainMatch> MatchLast(std::string_view pattern, const Graph& graph) {
  return ChainPattern(pattern).Match(graph, ProducersOf(graph), graph.outputs[0]);
}

// x sigmoid(2 x), then + 1.
Graph Sample() {
  Net net;
  const ValueId x = net.Image();
  const ValueId gate =
      net.Add(OpKind::kSigmoid, "gate", {net.Add(OpKind::kMul, "twice", {net.Number(2), x})});
  const ValueId y = net.Add(OpKind::kMul, "mul", {gate, x});
  return net.Finish({net.Add(OpKind::kAdd, "add", {y, net.Number(1)})});
}

TEST(ChainPattern, FindsTheChainInAnyOrderOfOperands) {
  const Graph graph = Sample();
  for (const char* pattern :
       {"Add(Mul(x, Sigmoid(Mul(x, 2))), 1)", "Add(1, Mul(Sigmoid(Mul(2, x)), x))",
        "y = Mul(x, Sigmoid(t)); Add(y, 1)", "Add(Mul(x, Tanh(x) | Sigmoid(Mul(x, $a))), @b)"}) {
    const auto matches = MatchLast(pattern, graph);
    ASSERT_EQ(matches.size(), 1U) << pattern;
    EXPECT_EQ(matches[0].values.at("x"), graph.inputs[0]) << pattern;
  }
  EXPECT_THAT(MatchLast("Add(Mul(x, Sigmoid(Mul(x, 2))), 1)", graph)[0].nodes,
              ElementsAre(0, 1, 2, 3));
}

TEST(ChainPattern, FindsNothingElse) {
  for (const char* pattern :
       {"Sub(y, 1)", "Add(y, 2)", "Add(x, Sigmoid(x))", "Add(x, x)", "Add(x, y, 1)", "Add($a, @b)",
        "Add(Mul(x, Sigmoid(x)), 1)", "Add(Mul(Sigmoid(x), x), 1)"}) {
    EXPECT_TRUE(MatchLast(pattern, Sample()).empty()) << pattern;
  }
}

TEST(ChainPattern, BindsConstantsByName) {
  const auto matches = MatchLast("Add(Mul(x, Sigmoid(Mul(x, $alpha))), @beta)", Sample());
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_TRUE(matches[0].values.contains("$alpha"));
  EXPECT_TRUE(matches[0].values.contains("@beta"));
}

TEST(ChainPattern, AValueIsNotConstantUnlessItMayBe) {
  EXPECT_EQ(MatchLast("Add(x, y)", Sample()).size(), 0U);
  EXPECT_EQ(MatchLast("Add(x, ?y)", Sample()).size(), 1U);
  EXPECT_EQ(MatchLast("Add(?x, ?y)", Sample()).size(), 2U);
}

TEST(ChainPattern, GivesEveryWay) {
  // Both factors are values: x and y either way.
  EXPECT_EQ(MatchLast("Add(Mul(x, y), 1)", Sample()).size(), 2U);
}

TEST(ChainPattern, WhatIsWrittenTwiceMayBeOneNodeOrTwo) {
  for (const bool twice : {false, true}) {
    Net net;
    const ValueId x = net.Image();
    const ValueId a = net.Add(OpKind::kNeg, "a", {x});
    const ValueId b = twice ? net.Add(OpKind::kNeg, "b", {x}) : a;
    const Graph graph = net.Finish({net.Add(OpKind::kDiv, "div", {a, b})});
    const auto matches = MatchLast("d = Neg(x); Div(d, d)", graph);
    ASSERT_EQ(matches.size(), 1U);
    EXPECT_EQ(matches[0].nodes.size(), twice ? 3U : 2U);
  }
}

struct NumberCase {
  const char* name;
  DType dtype;
  double found;
  bool matches;
};

class ChainNumber : public ::testing::TestWithParam<NumberCase> {};

// Two units of roundoff of 1.5: 2^-22.4, 2^-9.4, 2^-6.4.
TEST_P(ChainNumber, MayCarryTwoRoundings) {
  const NumberCase& c = GetParam();
  Net net;
  const ValueId x = net.Input("x", {3}, c.dtype);
  const Graph graph = net.Finish({net.Add(OpKind::kMul, "mul", {x, net.Number(c.found, c.dtype)})});
  EXPECT_EQ(!MatchLast("Mul(x, 1.5)", graph).empty(), c.matches);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, ChainNumber,
    ::testing::Values(NumberCase{"Exact", DType::kFloat32, 1.5, true},
                      NumberCase{"NextFloat", DType::kFloat32, 1.5 + 0x1p-23, true},
                      NumberCase{"ThirdFloat", DType::kFloat32, 1.5 + 0x3p-23, false},
                      NumberCase{"NextHalf", DType::kFloat16, 1.5 - 0x1p-10, true},
                      NumberCase{"OtherHalf", DType::kFloat16, 1.5 - 0x3p-10, false},
                      NumberCase{"NextBrain", DType::kBFloat16, 1.5 + 0x1p-7, true},
                      NumberCase{"OtherBrain", DType::kBFloat16, 1.5 + 0x3p-7, false},
                      NumberCase{"Sign", DType::kFloat32, -1.5, false}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ChainPattern, ATextThatIsNoPatternIsABug) {
  for (const char* text : {"", "Mul(x", "Mul(x,)", "Mull(x, x)", "Mul(x, x) y", "a = Neg(x)",
                           "a = Neg(x) a", "Neg(x) = a; a", "Mul(x, -)", "Mul(x, $)", "Neg(?)"}) {
    try {
      ChainPattern pattern(text);
      FAIL() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal);
      EXPECT_THAT(error.what(), HasSubstr("pattern: expected ")) << text;
    }
  }
}

}  // namespace
}  // namespace halftone
