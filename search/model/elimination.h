// Minimises a sum of terms that depend on one or two discrete variables each, per variable
// elimination (Bertele and Brioschi, "Nonserial Dynamic Programming", 1972): exact on graphs of
// small treewidth (paths, trees, series-parallel graphs). Other graphs take coordinate descent from
// several starts.
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

  // A graph that needs a table of more than `max_table` entries is not solved exactly.
  Elimination(std::vector<std::size_t> state_counts, std::vector<Edge> edges,
              std::size_t max_table = 6561);

  [[nodiscard]] bool exact() const { return exact_; }

  // unary[v][s]: cost of state s; pair[e][s_a * count_b + s_b]: cost of the edge's states. Ties go
  // to the lower state. Coordinate descent also starts from `starts`.
  [[nodiscard]] std::vector<std::size_t> Minimise(
      const std::vector<std::vector<double>>& unary, const std::vector<std::vector<double>>& pair,
      std::span<const std::vector<std::size_t>> starts = {}) const;

  [[nodiscard]] double CostOf(std::span<const std::size_t> states,
                              const std::vector<std::vector<double>>& unary,
                              const std::vector<std::vector<double>>& pair) const;

 private:
  // The variables that a table of costs depends on, ascending; the last one changes fastest.
  struct Table {
    std::vector<std::size_t> scope;
    std::vector<double> costs;
  };

  [[nodiscard]] std::size_t EntryOf(const std::vector<std::size_t>& scope,
                                    std::span<const std::size_t> states) const;
  [[nodiscard]] std::vector<std::size_t> Improve(
      std::vector<std::size_t> states, const std::vector<std::vector<double>>& unary,
      const std::vector<std::vector<double>>& pair) const;

  std::vector<std::size_t> counts_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;  // by variable
  std::vector<std::size_t> order_;                  // elimination order
  std::vector<std::vector<std::size_t>>
      scopes_;  // neighbours of each variable at its elimination, in that order
  bool exact_ = true;
};

}  // namespace halftone
