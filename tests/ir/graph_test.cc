#include "src/ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

Graph Diamond() {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 3});
  const ValueId a = builder.Add(OpKind::kRelu, "a", {x});
  const ValueId b = builder.Add(OpKind::kTanh, "b", {x});
  const ValueId c = builder.Add(OpKind::kAdd, "c", {a, b});
  return builder.Finish({c});
}

TEST(GraphTest, SortsTopologicallyAndKeepsTheOrderOfFreeNodes) {
  Graph graph = Diamond();
  std::swap(graph.nodes[0], graph.nodes[2]);  // c, b, a
  SortTopologically(graph);
  EXPECT_EQ(graph.nodes[0].name, "b");
  EXPECT_EQ(graph.nodes[1].name, "a");
  EXPECT_EQ(graph.nodes[2].name, "c");
}

TEST(GraphTest, NamesANodeOfACycle) {
  Graph graph = Diamond();
  graph.nodes[0].inputs[0] = graph.nodes[2].outputs[0];
  try {
    SortTopologically(graph);
    FAIL() << "a cycle must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cycle through node 'a' (Relu)"));
  }
}

TEST(GraphTest, ALongChainNeedsNoDeepStack) {
  GraphBuilder builder;
  ValueId value = builder.Input("x", {1});
  for (int i = 0; i < 100000; ++i) {
    value = builder.Add(OpKind::kRelu, "n" + std::to_string(i), {value});
  }
  Graph graph = builder.Finish({value});
  SortTopologically(graph);
  EXPECT_EQ(graph.nodes.back().name, "n99999");
}

TEST(GraphTest, HashDependsOnEverythingThatMatters) {
  const Graph graph = Diamond();
  EXPECT_EQ(HashOf(graph), HashOf(Diamond()));
  Graph renamed = graph;
  renamed.nodes[1].name = "other";
  EXPECT_NE(HashOf(renamed), HashOf(graph));
  Graph reshaped = graph;
  reshaped.values[0].type.shape = {3, 2};
  EXPECT_NE(HashOf(reshaped), HashOf(graph));
  Graph attributed = graph;
  attributed.nodes[0].attributes.Set("alpha", 0.5F);
  EXPECT_NE(HashOf(attributed), HashOf(graph));
  Graph fused = graph;
  fused.nodes[0].fusion.residual = ResidualPlace::kAfter;
  EXPECT_NE(HashOf(fused), HashOf(graph));
  Graph chained = graph;
  chained.nodes[0].chain = 1;
  EXPECT_NE(HashOf(chained), HashOf(graph));
}

// Stored measurements know a network by its hash, to which the planned number was an attribute.
TEST(GraphTest, HashOfAPlannedNumberIsThatOfStoredNetworks) {
  Graph planned = Diamond();
  planned.nodes[0].planned_count = 3;
  Graph stored = Diamond();
  stored.nodes[0].attributes.Set("planned_count", std::int64_t{3});
  EXPECT_EQ(HashOf(planned), HashOf(stored));
  EXPECT_NE(HashOf(planned), HashOf(Diamond()));
}

TEST(OpTableTest, EveryOperatorHasOneRowAndAWellFormedSignature) {
  for (const OpInfo& info : AllOps()) {
    EXPECT_EQ(&InfoOf(info.kind), &info) << info.name << " has two rows";
    EXPECT_EQ(FindOp(info.name), &info) << info.name;
    EXPECT_NE(info.shape_rule, nullptr) << info.name;
    for (const std::string_view signature : {info.inputs, info.outputs}) {
      EXPECT_EQ(signature.find_first_not_of("TYILBFASQ?*"), std::string_view::npos) << info.name;
    }
    EXPECT_EQ(info.Is(kCube), info.outputs == "Y") << info.name;
  }
}

TEST(OpTableTest, SignaturesRepeatTheirLastItem) {
  EXPECT_EQ(SignatureItemAt("T*", 7)->letter, 'T');
  EXPECT_FALSE(SignatureItemAt("TT", 2).has_value());
  EXPECT_TRUE(SignatureItemAt("TTY?", 2)->optional);
}

}  // namespace
}  // namespace halftone
