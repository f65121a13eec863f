#include "src/precision/files/keep_dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PlainGraphBuilder;

struct GoodCase {
  const char* name;
  const char* content;
  std::vector<std::string> lines;
};

class KeepDtypeReads : public ::testing::TestWithParam<GoodCase> {};

TEST_P(KeepDtypeReads, Lines) {
  EXPECT_EQ(ParseKeepDtype(GetParam().content, "k.cfg"), GetParam().lines);
}

INSTANTIATE_TEST_SUITE_P(
    Good, KeepDtypeReads,
    ::testing::Values(GoodCase{"Empty", "", {}},
                      GoodCase{"Example",
                               "# comment\nfp32_vars/Relu\nlayer1.0/conv1\nOpType::Relu\n",
                               {"OpType::Relu", "fp32_vars/Relu", "layer1.0/conv1"}},
                      GoodCase{"NoLineFeedAtTheEnd", "a", {"a"}},
                      GoodCase{
                          "CarriageReturns", "a\r\nOpType::Relu\r\n\r\n", {"OpType::Relu", "a"}},
                      GoodCase{"BlanksAtTheEnds", " \t a \t\n   \n\t# indented comment\n", {"a"}},
                      GoodCase{"BlankInside", "a b\n", {"a b"}},
                      GoodCase{"SortedOnce", "b\na\nb\n", {"a", "b"}},
                      GoodCase{"OpTypeNotAtTheStart", "x OpType::Relu\n", {"x OpType::Relu"}},
                      GoodCase{"OpTypeOtherCase", "optype::Relu\n", {"optype::Relu"}},
                      GoodCase{"BlankAfterOpType", "OpType::  Relu \n", {"OpType::Relu"}},
                      GoodCase{"Colons", "a:b::c:0\n", {"a:b::c:0"}},
                      GoodCase{"NumberSignInside", "a#b\n", {"a#b"}},
                      GoodCase{"ByteOrderMark",
                               "\xEF\xBB\xBF"
                               "a\n",
                               {"a"}}),
    [](const auto& row) { return row.param.name; });

struct BadCase {
  const char* name;
  const char* content;
  const char* message;
};

class KeepDtypeRefuses : public ::testing::TestWithParam<BadCase> {};

TEST_P(KeepDtypeRefuses, NamingFileAndLine) {
  try {
    ParseKeepDtype(GetParam().content, "k.cfg");
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bad, KeepDtypeRefuses,
    ::testing::Values(BadCase{"NoType", "a\nOpType::\n",
                              "k.cfg:2: expected one IR type after 'OpType::', found ''"},
                      BadCase{"BlankType", "OpType::   \r\n",
                              "k.cfg:1: expected one IR type after 'OpType::', found ''"},
                      BadCase{"TwoTypes", "\n\nOpType::Relu Add\n",
                              "k.cfg:3: expected one IR type after 'OpType::', found 'Relu Add'"}),
    [](const auto& row) { return row.param.name; });

TEST(KeepLineFor, IsTheNameOrNothing) {
  for (const char* name : {"a", "a/b:0", "x OpType::y", "a b", "a#", "a=b", "[x]"}) {
    EXPECT_EQ(KeepLineFor(name), name);
    EXPECT_THAT(ParseKeepDtype(*KeepLineFor(name), "k.cfg"), ElementsAre(name));
  }
  for (const char* name :
       {"", " a", "a ", "\ta", "#a", "OpType::a", "OpType::", "a\nb", "a\rb", "\357\273\277a"}) {
    EXPECT_EQ(KeepLineFor(name), std::nullopt) << name;
  }
}

TEST(MatchKeepLines, ReportsANameBeforeAType) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const Graph graph = builder.Finish({builder.Node(OpKind::kSoftmax, "s", {x})});
  const KeepMatches matches = MatchKeepLines(graph, {"OpType::SoftmaxV2", "s"});
  EXPECT_THAT(matches.line_of_node, ElementsAre("s"));
  EXPECT_THAT(matches.unmatched_types, IsEmpty());
  EXPECT_THAT(matches.unknown_names, IsEmpty());
}

TEST(MatchKeepLines, TypesAreIrTypesOfExactCase) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const Graph graph = builder.Finish({builder.Node(OpKind::kSoftmax, "s", {x})});
  const KeepMatches matches = MatchKeepLines(graph, {"OpType::Softmax", "OpType::softmaxv2", "S"});
  EXPECT_THAT(matches.line_of_node, ElementsAre(""));
  EXPECT_THAT(matches.unmatched_types, ElementsAre("OpType::Softmax", "OpType::softmaxv2"));
  EXPECT_THAT(matches.unknown_names, ElementsAre("S"));
}

// An origin of the node's own operator has the node's type: a depthwise convolution is no Conv2D.
TEST(MatchKeepLines, AnOriginDoesNotWidenTheTypeOfItsNode) {
  Graph graph;
  const auto value = [&](const char* name, Shape shape) {
    return graph.AddValue({name, {DType::kFloat32, std::move(shape)}, std::nullopt});
  };
  const ValueId x = value("x", {1, 8, 4, 4});
  const ValueId w = value("w", {8, 1, 3, 3});
  const ValueId y = value("y", {1, 8, 2, 2});
  Node node{.op = OpKind::kConv,
            .name = "dw",
            .origins = {{"dw", "Conv"}, {"bn", "BatchNormalization"}},
            .attributes = {},
            .inputs = {x, w},
            .outputs = {y}};
  node.attributes.Set("group", std::int64_t{8});
  graph.nodes.push_back(node);
  EXPECT_THAT(MatchKeepLines(graph, {"OpType::Conv2D"}).line_of_node, ElementsAre(""));
  EXPECT_THAT(MatchKeepLines(graph, {"OpType::DepthwiseConv2D"}).line_of_node,
              ElementsAre("OpType::DepthwiseConv2D"));
  EXPECT_THAT(MatchKeepLines(graph, {"OpType::BNInference"}).line_of_node,
              ElementsAre("OpType::BNInference"));
  EXPECT_THAT(MatchKeepLines(graph, {"bn"}).line_of_node, ElementsAre("bn"));
}

// A node whose own name the format cannot express is not kept by a line that means a type.
TEST(MatchKeepLines, NamesOfRemovedNodesAreKnown) {
  Graph graph;
  graph.removed = {{"folded", "Shape"}};
  const KeepMatches matches = MatchKeepLines(graph, {"folded", "never there"});
  EXPECT_THAT(matches.removed_names, ElementsAre("folded"));
  EXPECT_THAT(matches.unknown_names, ElementsAre("never there"));
}

TEST(MatchKeepLines, ANameThatLooksLikeATypeLineIsNoTypeLine) {
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const Graph graph = builder.Finish({builder.Node(OpKind::kExp, "OpType::Relu", {x})});
  const KeepMatches matches = MatchKeepLines(graph, {"OpType::Relu"});
  EXPECT_THAT(matches.line_of_node, ElementsAre(""));
  EXPECT_THAT(matches.unmatched_types, ElementsAre("OpType::Relu"));
}

}  // namespace
}  // namespace halftone
