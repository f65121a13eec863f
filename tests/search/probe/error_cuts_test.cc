#include "search/probe/error_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/search/probe/adding_network.h"

namespace halftone {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <typename Reads>
Graph Network(int nodes, const Reads& reads) {
  return testing::AddingNetwork(nodes, reads, [](int /*n*/) { return 1; });
}

Graph Chain(int nodes) {
  return Network(nodes, [](int n) { return std::vector<ValueId>{n}; });
}

// Each node reads the last result and one drawn from all.
Graph Drawn(int nodes, std::mt19937& random) {
  return Network(nodes, [&](int n) {
    return std::vector<ValueId>{n, std::uniform_int_distribution<ValueId>(0, n)(random)};
  });
}

std::vector<DecisionGroup> EachNode(const Graph& graph) {
  std::vector<DecisionGroup> groups;
  for (NodeId id = 0; id < std::ssize(graph.nodes); ++id) {
    groups.push_back({.name = graph.node(id).name, .nodes = {id}, .steps = {id}, .choices = {}});
  }
  return groups;
}

// The cost as the header defines it, counted step by step.
double CostOf(const Graph& graph, const std::vector<DecisionGroup>& groups, const ErrorCuts& cuts) {
  double steps = 0;
  for (const DecisionGroup& group : groups) {
    for (NodeId id = group.steps.front() + 1; id < cuts.EndOf(group); ++id) {
      ++steps;
    }
  }
  for (std::size_t c = 0; c + 1 < cuts.ends.size(); ++c) {
    for (const ValueId id : ValuesAt(graph, cuts.ends[c])) {
      EXPECT_TRUE(IsFloating(graph.value(id).type.dtype));
      steps += static_cast<double>(std::ssize(graph.nodes) - cuts.ends[c]);
    }
  }
  return steps / static_cast<double>(graph.nodes.size());
}

TEST(ValuesAtTest, AreTheResultsThatAreStillRead) {
  // 1 = f(x), 2 = f(1), 3 = f(2, 1), 4 = f(3)
  const Graph graph = Network(4, [](int n) {
    return n == 2 ? std::vector<ValueId>{2, 1} : std::vector<ValueId>{n};
  });
  EXPECT_EQ(ValuesAt(graph, 1), (std::vector<ValueId>{1}));
  EXPECT_EQ(ValuesAt(graph, 2), (std::vector<ValueId>{1, 2}));
  EXPECT_EQ(ValuesAt(graph, 3), (std::vector<ValueId>{3}));
  EXPECT_EQ(ValuesAt(graph, 4), (std::vector<ValueId>{4})) << "the output";
}

TEST(ErrorCutsTest, WithoutALimitErrorsAreCarriedToTheOutputs) {
  const Graph graph = Chain(10);
  const auto groups = EachNode(graph);
  const ErrorCuts cuts = PlanErrorCuts(graph, groups, kNoLimit);
  EXPECT_EQ(cuts.ends, (std::vector<NodeId>{10}));
  EXPECT_DOUBLE_EQ(cuts.runs, 4.5);  // 9 + 8 + ... + 0 of 10 steps
}

TEST(ErrorCutsTest, AChainCostsAboutTheSquareRootOfItsLength) {
  for (const int nodes : {16, 64, 256}) {
    const Graph graph = Chain(nodes);
    const auto groups = EachNode(graph);
    const ErrorCuts cuts = PlanErrorCuts(graph, groups, 0);
    EXPECT_DOUBLE_EQ(cuts.runs, CostOf(graph, groups, cuts));
    EXPECT_LT(cuts.runs, 1.1 * std::sqrt(nodes));
  }
}

// All sets of cuts of networks of nine steps are tried.
TEST(ErrorCutsTest, AreTheFewestWithinTheLimitAndThenTheCheapest) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    const int nodes = 9;
    const Graph graph = Drawn(nodes, random);
    const auto groups = EachNode(graph);
    std::vector<double> least(nodes + 1, kNoLimit);  // by number of segments
    for (unsigned chosen = 0; chosen < 1U << (nodes - 1); ++chosen) {
      ErrorCuts cuts;
      for (int cut = 1; cut < nodes; ++cut) {
        if ((chosen >> (cut - 1) & 1U) != 0) {
          cuts.ends.push_back(cut);
        }
      }
      cuts.ends.push_back(nodes);
      double& of_as_many = least[cuts.ends.size()];
      of_as_many = std::min(of_as_many, CostOf(graph, groups, cuts));
    }
    const double best = *std::ranges::min_element(least);
    for (const double limit : {0.0, best, 1.2 * best, 2 * best, least[1]}) {
      const ErrorCuts cuts = PlanErrorCuts(graph, groups, limit);
      EXPECT_DOUBLE_EQ(cuts.runs, CostOf(graph, groups, cuts));
      EXPECT_DOUBLE_EQ(cuts.runs, least[cuts.ends.size()]);
      if (limit < best) {
        EXPECT_DOUBLE_EQ(cuts.runs, best);
      } else {
        EXPECT_LE(cuts.runs, limit);
      }
      for (std::size_t fewer = 1; fewer < cuts.ends.size(); ++fewer) {
        EXPECT_GT(least[fewer], std::max(limit, cuts.runs - 1e-9)) << fewer << " segments";
      }
    }
  }
}

TEST(ErrorCutsTest, NoCutHasAnIntegerValue) {
  Graph graph = Chain(16);
  for (const ValueId id : {4, 8, 9}) {
    graph.values[static_cast<std::size_t>(id)].type.dtype = DType::kInt64;
  }
  const auto groups = EachNode(graph);
  const ErrorCuts cuts = PlanErrorCuts(graph, groups, 0);
  EXPECT_GT(cuts.ends.size(), 1U);
  EXPECT_DOUBLE_EQ(cuts.runs, CostOf(graph, groups, cuts));
}

// Two products with the same weights are one group: it ends where the later one does.
TEST(ErrorCutsTest, AGroupOfSeveralStepsIsCarriedFromTheFirstToBehindTheLast) {
  const Graph graph = Chain(12);
  auto groups = EachNode(graph);
  groups[2].steps = {2, 9};
  groups.erase(groups.begin() + 9);
  const ErrorCuts cuts = PlanErrorCuts(graph, groups, 0);
  EXPECT_GT(cuts.EndOf(groups[2]), 9);
  EXPECT_DOUBLE_EQ(cuts.runs, CostOf(graph, groups, cuts));
}

}  // namespace
}  // namespace halftone
