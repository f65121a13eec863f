// Interface that proposes candidates, in two methods; the constructor takes everything else. Two
// more methods are optional: forecast() tells the work ahead, insight() what the strategy knows of
// the network.
//
// Suggest() proposes candidates, none of them twice, and none once the space is exhausted. Update()
// takes each finished trial once, in any order: measured, rejected, or known from an earlier run.
// labs/own_strategy/main.cc defines a strategy.
//
// A strategy is deterministic: the same space, seed and finished trials give the same proposals.
// Not thread safe.
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

// Work of a strategy as known before it begins.
struct Forecast {
  std::string work_plan;       // plans by stage, one line without a line end
  std::size_t most_plans = 0;  // upper bound on the number of proposed plans, or kNoLimitOfPlans
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // At most max_count candidates, none proposed before. Empty: nothing left to propose.
  virtual std::vector<Candidate> Suggest(std::size_t max_count) = 0;
  // Every proposed candidate comes back exactly once, rejections included.
  virtual void Update(std::span<const Trial> finished) = 0;

  // Does not change during the search; empty for strategies that cannot tell.
  [[nodiscard]] virtual std::optional<Forecast> forecast() const { return std::nullopt; }

  // Owned by the strategy and current at every call; null for strategies that only look at
  // outcomes.
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
  Constraints goal;       // bounds that the user wants met with the least latency
  bool goes_on = false;   // proposes until the space is exhausted: a budget ends the search
  StrategyValues values;  // of the strategy's options; a missing one has its default
};

struct StrategyRow {
  std::string_view name;  // value of --strategy
  std::string_view meaning;
  std::unique_ptr<SearchStrategy> (*make)(const SearchSpace&, const StrategyOptions&);
  std::span<const StrategyOption> options = {};
  bool needs_network = false;  // StrategyOptions::network
};

// One row per strategy; --help and the conformance suite follow from it.
std::span<const StrategyRow> AllStrategies();

// A strategy with values of its options: what --strategy says.
struct StrategyChoice {
  const StrategyRow* row = nullptr;
  StrategyValues values;  // values that were given
};

// The choice of "NAME" or "NAME:OPTION=VALUE[,OPTION=VALUE...]". Error kUsage for an unknown name,
// which lists the strategies, and as ParseOptionValues().
StrategyChoice ParseStrategy(std::string_view text);

// The canonical text of a choice: the name, then the options that differ from their defaults, in
// table order. Reports, the knowledge base and keys of searches hold it. Errors as ParseStrategy().
std::string CanonicalStrategy(std::string_view text);

// The strategy that the text chooses, with its values in place of `options.values`. Errors: those
// of ParseStrategy(); kUsage from `exhaustive` for a space of more than 10^4 candidates; kUsage if
// the strategy needs a network and there is none.
std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view text, const SearchSpace& space,
                                             const StrategyOptions& options = {});

// `model` if there is a network; else `exhaustive` up to 10^4 candidates and `greedy` beyond.
std::string_view DefaultStrategy(const SearchSpace& space, bool has_network = false);

}  // namespace halftone
