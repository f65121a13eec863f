// Minimises a sum of terms that each depend on one or two discrete variables, by variable
// elimination (Bertele and Brioschi, "Nonserial Dynamic Programming", 1972). The solution is exact
// on graphs of small treewidth (paths, trees, series-parallel graphs). On other graphs, coordinate
// descent from several starts is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halftone {

class Elimination {
 public:
  struct Edge {
    std::size_t a = 0;
    std::size_t b = 0;
  };

  // `state_counts`: number of states of each variable. A graph that needs a table of more than
  // `max_table` entries is not solved exactly.
  Elimination(std::vector<std::size_t> state_counts, std::vector<Edge> edges,
              std::size_t max_table = 6561);

  [[nodiscard]] bool exact() const { return exact_; }

  // Returns the state of each variable for the least sum of costs. unary[v][s] is the cost of state
  // s of variable v; pair[e][s_a * count_b + s_b] is the cost of edge e when its ends have states
  // s_a and s_b. Of equal states, the lower one is taken. Coordinate descent starts from the state
  // of least unary cost of each variable, and from each of `starts`.
  [[nodiscard]] std::vector<std::size_t> Minimise(
      const std::vector<std::vector<double>>& unary, const std::vector<std::vector<double>>& pair,
      std::span<const std::vector<std::size_t>> starts = {}) const;

  [[nodiscard]] double CostOf(std::span<const std::size_t> states,
                              const std::vector<std::vector<double>>& unary,
                              const std::vector<std::vector<double>>& pair) const;

 private:
  // Table of costs by the states of the variables in `scope`; the state of the last variable
  // changes fastest.
  struct Table {
    std::vector<std::size_t> scope;
    std::vector<double> costs;
  };

  [[nodiscard]] std::size_t EntryOf(const std::vector<std::size_t>& scope,
                                    std::span<const std::size_t> states) const;
  [[nodiscard]] std::vector<std::size_t> Improve(
      std::vector<std::size_t> states, const std::vector<std::vector<double>>& unary,
      const std::vector<std::vector<double>>& pair) const;
  // Coordinate descent from several starts.
  [[nodiscard]] std::vector<std::size_t> Descend(
      const std::vector<std::vector<double>>& unary, const std::vector<std::vector<double>>& pair,
      std::span<const std::vector<std::size_t>> starts) const;
  // The exact solution.
  [[nodiscard]] std::vector<std::size_t> Eliminate(
      const std::vector<std::vector<double>>& unary,
      const std::vector<std::vector<double>>& pair) const;
  // Sum of `parts`, the tables with the variable order_[place], at its best states, which go into
  // `best_state` by entry of the result. `states` is scratch space for all variables.
  [[nodiscard]] Table WithoutVariable(std::size_t place, std::span<const Table> parts,
                                      std::vector<std::size_t>& states,
                                      std::vector<std::size_t>& best_state) const;

  std::vector<std::size_t> counts_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;  // by variable
  std::vector<std::size_t> order_;                  // elimination order
  // Parallel to order_: the neighbours of each variable when it is eliminated.
  std::vector<std::vector<std::size_t>> scopes_;
  bool exact_ = true;
};

}  // namespace halftone
