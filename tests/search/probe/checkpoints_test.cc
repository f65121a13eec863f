#include "search/probe/checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "search/space/subgraph.h"
#include "tests/search/probe/adding_network.h"

namespace halftone {
namespace {

// Node n reads the results `reads(n)` names: 0 is the input, n + 1 what node n makes. Results have
// 1, 2, ... 5 elements in turn, or one where they are `alike`.
template <typename Reads>
Graph Network(int nodes, bool alike, const Reads& reads) {
  return testing::AddingNetwork(nodes, reads, [&](int n) { return alike ? 1 : n % 5 + 1; });
}

// Every node a group that needs what it reads.
std::vector<GroupNeeds> NeedsOfNodes(const Graph& graph) {
  std::vector<GroupNeeds> needs;
  for (NodeId id = 0; id < std::ssize(graph.nodes); ++id) {
    needs.push_back({.first = id, .values = graph.node(id).inputs});
  }
  return needs;
}

std::int64_t BytesOf(const Graph& graph, const std::vector<ValueId>& values) {
  std::int64_t bytes = 0;
  for (const ValueId id : values) {
    bytes += KeptBytes(graph, id);
  }
  return bytes;
}

void ExpectWhole(const Graph& graph, const std::vector<GroupNeeds>& needs,
                 const CheckpointPlan& plan) {
  const std::set<ValueId> kept(plan.kept.begin(), plan.kept.end());
  EXPECT_TRUE(kept.contains(graph.inputs[0]));
  EXPECT_TRUE(kept.contains(graph.outputs[0]));
  std::int64_t largest = 0;
  for (const std::vector<ValueId>& again : plan.again) {
    largest = std::max(largest, BytesOf(graph, again));
    for (const ValueId id : BetweenOf(graph, plan.kept, again).graph.inputs) {
      EXPECT_TRUE(kept.contains(id)) << "made again out of what is kept";
    }
  }
  EXPECT_EQ(plan.bytes, BytesOf(graph, plan.kept) + largest);
  ASSERT_EQ(plan.segment_of.size(), needs.size());
  for (std::size_t g = 0; g < needs.size(); ++g) {
    const std::vector<ValueId>& again = plan.again.at(plan.segment_of[g]);
    for (const ValueId id : needs[g].values) {
      EXPECT_NE(kept.contains(id), std::ranges::find(again, id) != again.end());
    }
  }
}

TEST(CheckpointsTest, EveryNeedIsKeptOrMadeAgainOutOfWhatIsKept) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    const int nodes = 1 + static_cast<int>(random() % 60);
    const Graph graph = Network(nodes, false, [&](int n) {
      // Mostly the last results, sometimes one of long ago.
      const int back = random() % 4 == 0 ? n + 1 : std::min(n + 1, 3);
      const auto any = [&] {
        return static_cast<ValueId>(n - static_cast<int>(random() % static_cast<unsigned>(back)));
      };
      return std::vector<ValueId>{any(), any()};
    });
    const std::vector<GroupNeeds> needs = NeedsOfNodes(graph);
    const std::int64_t most = PlanCheckpoints(graph, needs, 1 << 30).bytes;
    std::size_t segments = 0;
    for (std::int64_t limit = most; limit > 0; limit = limit * 3 / 4) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes in " + std::to_string(limit));
      const CheckpointPlan plan = PlanCheckpoints(graph, needs, limit);
      ExpectWhole(graph, needs, plan);
      EXPECT_LE(plan.bytes, most);
      EXPECT_GE(plan.again.size(), segments) << "no more segments than it takes";
      segments = plan.again.size();
    }
  }
}

TEST(CheckpointsTest, WhatFitsHasNoCheckpoints) {
  const Graph graph = Network(10, true, [](int n) { return std::vector<ValueId>{n}; });
  const std::vector<GroupNeeds> needs = NeedsOfNodes(graph);
  const CheckpointPlan plan = PlanCheckpoints(graph, needs, 4 * 11);
  EXPECT_EQ(plan.again.size(), 1U);
  EXPECT_EQ(plan.kept, (std::vector<ValueId>{0, 10}));
  EXPECT_EQ(plan.bytes, 4 * 11);
  EXPECT_GT(PlanCheckpoints(graph, needs, 4 * 10).again.size(), 1U);
}

// n results of a chain: k checkpoints and n / k between two of them are 2 sqrt(n) at the least.
TEST(CheckpointsTest, AChainTakesTwiceTheRootOfItsLength) {
  for (const int nodes : {16, 100, 400, 1000}) {
    const Graph graph = Network(nodes, true, [](int n) { return std::vector<ValueId>{n}; });
    const CheckpointPlan plan = PlanCheckpoints(graph, NeedsOfNodes(graph), 1);
    EXPECT_LE(static_cast<double>(plan.bytes), 4 * (2.1 * std::sqrt(nodes) + 3)) << nodes;
    EXPECT_GE(static_cast<double>(plan.bytes), 4 * (2 * std::sqrt(nodes) - 2)) << nodes;
  }
}

// A cut goes where little is alive: behind a node with one result, not inside of a wide block.
TEST(CheckpointsTest, CutsAreWhereLittleIsAlive) {
  // Blocks of one node that four read, whose results the last one of the block joins.
  const Graph graph = Network(60, true, [](int n) {
    const int block = n / 6 * 6;
    if (n % 6 == 0) {
      return std::vector<ValueId>{block};
    }
    return n % 6 < 5 ? std::vector<ValueId>{block + 1}
                     : std::vector<ValueId>{block + 2, block + 3, block + 4, block + 5};
  });
  const CheckpointPlan plan = PlanCheckpoints(graph, NeedsOfNodes(graph), 1);
  ASSERT_GT(plan.again.size(), 2U);
  for (const ValueId id : plan.kept) {
    EXPECT_TRUE(id % 6 <= 1) << "value " << id << " is inside of a block";
  }
}

TEST(CheckpointsTest, FloatsAreKeptInFloat32) {
  Graph graph;
  const ValueId half = graph.AddValue({"half", {DType::kFloat16, Shape{3}}, {}});
  const ValueId index = graph.AddValue({"index", {DType::kInt64, Shape{3}}, {}});
  EXPECT_EQ(KeptBytes(graph, half), 12);
  EXPECT_EQ(KeptBytes(graph, index), 24);
}

}  // namespace
}  // namespace halftone
