// Interface that proposes candidates. Two methods; everything else is given to the constructor.
// Knowledge of a strategy about its work and about the network is optional: forecast(), insight().
//
// Suggest() proposes candidates, none of them twice, and none at all once the space is exhausted.
// After they were measured, rejected or known from before, Update() takes each finished trial once,
// in any order. examples/02_own_strategy.cc defines a strategy.
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

#include "search/probe/prober.h"
#include "search/space/space.h"
#include "search/strategies/search_insight.h"
#include "search/strategies/strategy_option.h"
#include "search/trial/candidate.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"

namespace halftone {

inline constexpr std::size_t kNoLimitOfPlans = std::numeric_limits<std::size_t>::max();

// Work of a strategy as known before it begins.
struct Forecast {
  std::string work_plan;       // use of the plans by stage, in one line without its end
  std::size_t most_plans = 0;  // upper bound on the number of proposed plans, or kNoLimitOfPlans
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // At most max_count candidates, none proposed before. Empty: nothing left to propose.
  virtual std::vector<Candidate> Suggest(std::size_t max_count) = 0;
  // Every proposed candidate comes back exactly once, rejections included.
  virtual void Update(std::span<const Trial> finished) = 0;

  // The same before, during and after the search; empty for strategies that do not know.
  [[nodiscard]] virtual std::optional<Forecast> forecast() const { return std::nullopt; }

  // Part of the strategy, and up to date with it; null for strategies that only look at outcomes.
  [[nodiscard]] virtual const StrategyInsight* insight() const { return nullptr; }
};

// Network of a space, for strategies that analyse it. All pointers must outlive the strategy.
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
  StrategyValues values;  // of the strategy's own options; those that are missing have defaults
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
  StrategyValues values;  // that were given
};

// The choice of "NAME" or "NAME:OPTION=VALUE[,OPTION=VALUE...]". Error kUsage for an unknown name,
// listing those that exist, and as ParseOptionValues().
StrategyChoice ParseStrategy(std::string_view text);

// One text for all that choose the same: the name, then the options that differ from their
// defaults, in table order. What reports, the knowledge base and keys of searches hold. Errors as
// ParseStrategy().
std::string CanonicalStrategy(std::string_view text);

// The strategy that the text chooses, with its values in place of `options.values`. Errors as
// ParseStrategy(), and kUsage from `exhaustive` for a space of more than 10^4 candidates and from
// one that needs a network without it.
std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view text, const SearchSpace& space,
                                             const StrategyOptions& options = {});

// `model` with a network. Without one `exhaustive` up to 10^4 candidates, `greedy` beyond.
std::string_view DefaultStrategy(const SearchSpace& space, bool has_network = false);

}  // namespace halftone
