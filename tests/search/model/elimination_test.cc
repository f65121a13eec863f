// Sums of terms of one and two variables: against all assignments.
#include "search/model/elimination.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/base/rng.h"

namespace halftone {
namespace {

struct Problem {
  std::vector<std::size_t> counts;
  std::vector<Elimination::Edge> edges;
  std::vector<std::vector<double>> unary;
  std::vector<std::vector<double>> pair;
};

Problem RandomProblem(Rng& rng, std::size_t variables, double edge_share) {
  Problem problem;
  for (std::size_t v = 0; v < variables; ++v) {
    problem.counts.push_back(1 + rng.Below(3));
    std::vector<double>& costs = problem.unary.emplace_back();
    for (std::size_t s = 0; s < problem.counts[v]; ++s) {
      costs.push_back(rng.Uniform());
    }
  }
  for (std::size_t a = 0; a < variables; ++a) {
    for (std::size_t b = a + 1; b < variables; ++b) {
      if (rng.Uniform() > edge_share) {
        continue;
      }
      problem.edges.push_back(rng.Below(2) == 0 ? Elimination::Edge{a, b}
                                                : Elimination::Edge{b, a});
      std::vector<double>& costs = problem.pair.emplace_back();
      for (std::size_t s = 0; s < problem.counts[a] * problem.counts[b]; ++s) {
        costs.push_back(rng.Uniform());
      }
    }
  }
  return problem;
}

double LeastCost(const Problem& problem, const Elimination& elimination) {
  std::vector<std::size_t> states(problem.counts.size(), 0);
  double least = INFINITY;
  while (true) {
    least = std::min(least, elimination.CostOf(states, problem.unary, problem.pair));
    std::size_t v = 0;
    while (v < states.size() && ++states[v] == problem.counts[v]) {
      states[v++] = 0;
    }
    if (v == states.size()) {
      return least;
    }
  }
}

TEST(EliminationTest, FindsTheLeastCost) {
  Rng rng(1);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Problem problem = RandomProblem(rng, 1 + rng.Below(9), rng.Uniform());
    const Elimination elimination(problem.counts, problem.edges);
    ASSERT_TRUE(elimination.exact());
    const auto states = elimination.Minimise(problem.unary, problem.pair);
    EXPECT_NEAR(elimination.CostOf(states, problem.unary, problem.pair),
                LeastCost(problem, elimination), 1e-12)
        << "repetition " << repetition;
  }
}

TEST(EliminationTest, LongChainsAreExactWithSmallTables) {
  Problem problem;
  for (std::size_t v = 0; v < 5000; ++v) {
    problem.counts.push_back(2);
    problem.unary.push_back({0.0, v % 2 == 0 ? -1.0 : 0.9});
    if (v > 0) {
      problem.edges.push_back({v - 1, v});
      problem.pair.push_back({0, 0.5, 0.5, 0});
    }
  }
  const Elimination elimination(problem.counts, problem.edges, 4);
  ASSERT_TRUE(elimination.exact());
  const auto states = elimination.Minimise(problem.unary, problem.pair);
  // State 1 everywhere costs 5000 / 2 x (-1 + 0.9); alternating -1 and two changes of 0.5 nothing.
  EXPECT_NEAR(elimination.CostOf(states, problem.unary, problem.pair), -250, 0.5);
}

TEST(EliminationTest, WideGraphsAreImprovedUntilNoSingleChangeHelps) {
  Rng rng(2);
  const Problem problem = RandomProblem(rng, 9, 1.0);
  const Elimination elimination(problem.counts, problem.edges, 9);
  ASSERT_FALSE(elimination.exact());
  const std::vector<std::vector<std::size_t>> starts = {
      std::vector<std::size_t>(problem.counts.size(), 0)};
  const auto states = elimination.Minimise(problem.unary, problem.pair, starts);
  const double cost = elimination.CostOf(states, problem.unary, problem.pair);
  EXPECT_LE(cost, elimination.CostOf(starts[0], problem.unary, problem.pair));
  for (std::size_t v = 0; v < states.size(); ++v) {
    for (std::size_t s = 0; s < problem.counts[v]; ++s) {
      auto changed = states;
      changed[v] = s;
      EXPECT_GE(elimination.CostOf(changed, problem.unary, problem.pair), cost - 1e-12);
    }
  }
}

TEST(EliminationTest, NothingToDecide) {
  const Elimination elimination({}, {});
  EXPECT_TRUE(elimination.Minimise({}, {}).empty());
}

}  // namespace
}  // namespace halftone
