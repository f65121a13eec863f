// Interface that proposes candidates. Two methods; everything else is given to the constructor.
//
// Suggest() proposes candidates, none of them twice, and none at all once the space is exhausted.
// After they were measured, rejected or known from before, Update() takes each finished trial once,
// in any order. examples/02_own_strategy.cc defines a strategy.
//
// A strategy is deterministic: the same space, seed and finished trials give the same proposals.
// Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/probe/prober.h"
#include "search/space/space.h"
#include "search/strategies/search_insight.h"
#include "search/trial/candidate.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"

namespace halftone {

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  // At most max_count candidates, none proposed before. Empty: nothing left to propose.
  virtual std::vector<Candidate> Suggest(std::size_t max_count) = 0;
  // Every proposed candidate comes back exactly once, rejections included.
  virtual void Update(std::span<const Trial> finished) = 0;

  // Planned cost per stage, in one line without its end; empty for strategies that do not know.
  [[nodiscard]] virtual std::string WorkPlan() const { return ""; }

  // Upper bound on the number of proposed plans; 0: unknown.
  [[nodiscard]] virtual std::size_t MostPlans() const { return 0; }

  // Other sets of operators in float32 that are predicted to be as good as that of a measured
  // trial; the fastest first.
  [[nodiscard]] virtual std::vector<AlternativeSet> AlternativesTo(const Trial& /*trial*/) const {
    return {};
  }

  // Null for strategies that only look at outcomes.
  [[nodiscard]] virtual const SearchInsight* insight() const { return nullptr; }
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
  Constraints goal;  // bounds that the user wants met with the least latency
};

struct StrategyRow {
  std::string_view name;  // value of --strategy
  std::string_view meaning;
  std::unique_ptr<SearchStrategy> (*make)(const SearchSpace&, const StrategyOptions&);
  bool needs_network = false;  // StrategyOptions::network
};

// One row per strategy; --help and the conformance suite follow from it.
std::span<const StrategyRow> AllStrategies();

// Error kUsage for an unknown name, listing those that exist.
const StrategyRow& StrategyNamed(std::string_view name);

// Errors as StrategyNamed(), and kUsage from `exhaustive` for a space of
// more than 10^4 candidates and from one that needs a network without it.
std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view name, const SearchSpace& space,
                                             const StrategyOptions& options = {});

// `model` with a network. Without one `exhaustive` up to 10^4 candidates, `greedy` beyond.
std::string_view DefaultStrategy(const SearchSpace& space, bool has_network = false);

}  // namespace halftone
