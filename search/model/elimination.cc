#include "search/model/elimination.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace halftone {
namespace {

// Takes the variable out of the graph, and makes its neighbours neighbours of each other.
void TakeOut(std::size_t variable, std::vector<std::set<std::size_t>>& neighbours) {
  for (const std::size_t a : neighbours[variable]) {
    neighbours[a].erase(variable);
    for (const std::size_t b : neighbours[variable]) {
      if (a != b) {
        neighbours[a].insert(b);
      }
    }
  }
}

}  // namespace

Elimination::Elimination(std::vector<std::size_t> state_counts, std::vector<Edge> edges,
                         std::size_t max_table)
    : counts_(std::move(state_counts)), edges_(std::move(edges)), edges_of_(counts_.size()) {
  std::vector<std::set<std::size_t>> neighbours(counts_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edges_of_[edges_[e].a].push_back(e);
    edges_of_[edges_[e].b].push_back(e);
    neighbours[edges_[e].a].insert(edges_[e].b);
    neighbours[edges_[e].b].insert(edges_[e].a);
  }
  // Eliminates next the variable with the smallest table.
  std::set<std::size_t> left;
  for (std::size_t v = 0; v < counts_.size(); ++v) {
    left.insert(v);
  }
  const auto table_of = [&](std::size_t v) {
    double entries = 1;
    for (const std::size_t n : neighbours[v]) {
      entries *= static_cast<double>(counts_[n]);
    }
    return entries;
  };
  while (!left.empty() && exact_) {
    const std::size_t next = *std::ranges::min_element(left, {}, table_of);
    exact_ = table_of(next) * static_cast<double>(counts_[next]) <= static_cast<double>(max_table);
    order_.push_back(next);
    scopes_.emplace_back(neighbours[next].begin(), neighbours[next].end());
    TakeOut(next, neighbours);
    left.erase(next);
  }
}

std::size_t Elimination::EntryOf(const std::vector<std::size_t>& scope,
                                 std::span<const std::size_t> states) const {
  std::size_t entry = 0;
  for (const std::size_t v : scope) {
    entry = entry * counts_[v] + states[v];
  }
  return entry;
}

double Elimination::CostOf(std::span<const std::size_t> states,
                           const std::vector<std::vector<double>>& unary,
                           const std::vector<std::vector<double>>& pair) const {
  double cost = 0;
  for (std::size_t v = 0; v < counts_.size(); ++v) {
    cost += unary[v][states[v]];
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    cost += pair[e][states[edges_[e].a] * counts_[edges_[e].b] + states[edges_[e].b]];
  }
  return cost;
}

std::vector<std::size_t> Elimination::Improve(std::vector<std::size_t> states,
                                              const std::vector<std::vector<double>>& unary,
                                              const std::vector<std::vector<double>>& pair) const {
  const auto cost_at = [&](std::size_t v, std::size_t state) {
    double cost = unary[v][state];
    for (const std::size_t e : edges_of_[v]) {
      const Edge& edge = edges_[e];
      const std::size_t a = edge.a == v ? state : states[edge.a];
      const std::size_t b = edge.b == v ? state : states[edge.b];
      cost += pair[e][a * counts_[edge.b] + b];
    }
    return cost;
  };
  const auto improve = [&](std::size_t v) {
    bool changed = false;
    for (std::size_t state = 0; state < counts_[v]; ++state) {
      if (cost_at(v, state) < cost_at(v, states[v])) {
        states[v] = state;
        changed = true;
      }
    }
    return changed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t v = 0; v < counts_.size(); ++v) {
      changed = improve(v) || changed;
    }
  }
  return states;
}

std::vector<std::size_t> Elimination::Minimise(
    const std::vector<std::vector<double>>& unary, const std::vector<std::vector<double>>& pair,
    std::span<const std::vector<std::size_t>> starts) const {
  return exact_ ? Eliminate(unary, pair) : Descend(unary, pair, starts);
}

std::vector<std::size_t> Elimination::Descend(
    const std::vector<std::vector<double>>& unary, const std::vector<std::vector<double>>& pair,
    std::span<const std::vector<std::size_t>> starts) const {
  std::vector<std::size_t> alone;
  alone.reserve(unary.size());
  for (const std::vector<double>& costs : unary) {
    alone.push_back(static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin()));
  }
  std::vector<std::size_t> best = Improve(std::move(alone), unary, pair);
  for (const std::vector<std::size_t>& start : starts) {
    std::vector<std::size_t> improved = Improve(start, unary, pair);
    if (CostOf(improved, unary, pair) < CostOf(best, unary, pair)) {
      best = std::move(improved);
    }
  }
  return best;
}

std::vector<std::size_t> Elimination::Eliminate(
    const std::vector<std::vector<double>>& unary,
    const std::vector<std::vector<double>>& pair) const {
  // Each table waits at the variable of its scope that goes first.
  std::vector<std::size_t> rank(counts_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    rank[order_[i]] = i;
  }
  std::vector<std::vector<Table>> waiting(counts_.size());
  const auto file = [&](Table table) {
    if (!table.scope.empty()) {
      const std::size_t first =
          *std::ranges::min_element(table.scope, {}, [&](std::size_t v) { return rank[v]; });
      waiting[first].push_back(std::move(table));
    }
  };
  for (std::size_t v = 0; v < counts_.size(); ++v) {
    file({{v}, unary[v]});
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    file({{edges_[e].a, edges_[e].b}, pair[e]});
  }
  std::vector<std::vector<std::size_t>> best_state(order_.size());
  std::vector<std::size_t> states(counts_.size(), 0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    std::vector<Table>& parts = waiting[order_[i]];
    Table joined = WithoutVariable(i, parts, states, best_state[i]);
    parts.clear();
    file(std::move(joined));
  }
  for (std::size_t i = order_.size(); i > 0; --i) {
    states[order_[i - 1]] = best_state[i - 1][EntryOf(scopes_[i - 1], states)];
  }
  return states;
}

Elimination::Table Elimination::WithoutVariable(std::size_t place, std::span<const Table> parts,
                                                std::vector<std::size_t>& states,
                                                std::vector<std::size_t>& best_state) const {
  const std::size_t v = order_[place];
  const std::vector<std::size_t>& scope = scopes_[place];
  std::size_t entries = 1;
  for (const std::size_t n : scope) {
    entries *= counts_[n];
  }
  Table table{scope, std::vector<double>(entries)};
  best_state.resize(entries);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    std::size_t rest = entry;
    for (std::size_t k = scope.size(); k > 0; --k) {
      states[scope[k - 1]] = rest % counts_[scope[k - 1]];
      rest /= counts_[scope[k - 1]];
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t state = 0; state < counts_[v]; ++state) {
      states[v] = state;
      double cost = 0;
      for (const Table& part : parts) {
        cost += part.costs[EntryOf(part.scope, states)];
      }
      if (cost < best) {
        best = cost;
        best_state[entry] = state;
      }
    }
    table.costs[entry] = best;
  }
  return table;
}

}  // namespace halftone
