// Interface of a search strategy: Suggest() proposes candidates, Update() takes their results; the
// constructor takes everything else. Two more methods are optional: forecast() tells the work
// ahead, insight() what the strategy knows of the network.
//
// Suggest() proposes no candidate twice, and none once the space is exhausted. Update() takes each
// finished trial once, in any order; the trial may be measured, rejected, or known from an earlier
// run. labs/own_strategy/main.cc defines a strategy.
//
// A strategy is deterministic: with the same space, seed and finished trials, it makes the same
// proposals. It is not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/goal.h"
#include "search/probe/prober.h"
#include "search/space/space.h"
#include "search/strategies/search_insight.h"
#include "search/strategies/strategy_option.h"
#include "search/trial/candidate.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"

namespace halftone {

// Work of a strategy, estimated before it begins.
struct Forecast {
  std::string work_plan;       // plans by stage, one line without a line end
  std::size_t most_plans = 0;  // upper bound on the number of proposed plans, or kNoLimitOfPlans
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // Returns at most max_count candidates, none proposed before; empty when nothing is left to
  // propose.
  virtual std::vector<Candidate> Suggest(std::size_t max_count) = 0;
  // Takes finished trials. Every proposed candidate comes back exactly once, as a measurement or as
  // a rejection.
  virtual void Update(std::span<const Trial> finished) = 0;

  // The forecast, which does not change during the search; empty for a strategy that has none.
  [[nodiscard]] virtual std::optional<Forecast> forecast() const { return std::nullopt; }

  // The insight, owned by the strategy and current at every call; null for a strategy that only
  // looks at results.
  [[nodiscard]] virtual const StrategyInsight* insight() const { return nullptr; }
};

// The network of a search space, for strategies that analyse it. The objects must outlive the
// strategy.
struct StrategyNetwork {
  const Graph* graph = nullptr;
  const TargetSpec* target = nullptr;
  Prober* prober = nullptr;
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  std::optional<StrategyNetwork> network;
  Constraints goal;  // bounds to be met with the least latency
  // True: proposes until the space is exhausted, because a budget ends the search.
  bool goes_on = false;
  // Estimated number of plans that the budget has time for; empty: time limits nothing.
  std::optional<double> affordable_plans = {};
  StrategyValues values = {};  // values of its options; a missing option has its default
};

struct StrategyRow {
  std::string_view name;  // value of --strategy
  std::string_view meaning;
  std::unique_ptr<SearchStrategy> (*make)(const SearchSpace&, const StrategyOptions&);
  std::span<const StrategyOption> options = {};
  bool needs_network = false;  // true: requires StrategyOptions::network
};

// All strategies, one row each; --help and the conformance suite are generated from these rows.
std::span<const StrategyRow> AllStrategies();

// A strategy with values of its options, as --strategy gives them.
struct StrategyChoice {
  const StrategyRow* row = nullptr;
  StrategyValues values;  // only the values that were given
};

// Parses "NAME" or "NAME:OPTION=VALUE[,OPTION=VALUE...]". Errors: kUsage, with the list of
// strategies, for an unknown name; those of ParseOptionValues().
StrategyChoice ParseStrategy(std::string_view text);

// The canonical text of a choice: the name, then the options that differ from their defaults, in
// table order. Reports, the knowledge base and the keys of searches use this text. Errors: those of
// ParseStrategy().
std::string CanonicalStrategy(std::string_view text);

// Makes the strategy that `text` chooses, with its option values in place of `options.values`.
// Errors: those of ParseStrategy(); kUsage from `exhaustive` for a space of more than 10^4
// candidates; kUsage if the strategy needs a network and `options` has none.
std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view text, const SearchSpace& space,
                                             const StrategyOptions& options = {});

// Default strategy: `model` with a network; without one, `exhaustive` up to 10^4 candidates and
// `greedy` beyond.
std::string_view DefaultStrategy(const SearchSpace& space, bool has_network = false);

}  // namespace halftone
