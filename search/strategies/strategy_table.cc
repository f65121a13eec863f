#include <fmt/format.h>

#include "search/strategies/bisect.h"
#include "search/strategies/exhaustive.h"
#include "search/strategies/greedy.h"
#include "search/strategies/model_strategy.h"
#include "search/strategies/nsga2.h"
#include "search/strategies/random.h"
#include "search/strategies/strategy.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr StrategyRow kStrategies[] = {
    {"model", "probes what every operator feels, predicts all plans, and measures the best",
     MakeModelStrategy, /*needs_network=*/true},
    {"greedy", "measures what each operator costs and gains, then keeps the most rewarding ones",
     MakeGreedyStrategy},
    {"bisect", "halves sets of operators until what is left meets bounds on the error: a baseline",
     MakeBisectStrategy},
    {"nsga2", "evolves candidates by mutation, crossover and selection: a baseline",
     MakeNsga2Strategy},
    {"exhaustive", "every candidate of a space of at most 10000", MakeExhaustiveStrategy},
    {"random", "candidates drawn at random: the baseline", MakeRandomStrategy},
};

}  // namespace

std::span<const StrategyRow> AllStrategies() {
  return kStrategies;
}

const StrategyRow& StrategyNamed(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) {
      return row;
    }
    names.emplace_back(row.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("unknown strategy '{}': expected one of {}", name, Join(names, ", ")));
}

std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view name, const SearchSpace& space,
                                             const StrategyOptions& options) {
  return StrategyNamed(name).make(space, options);
}

std::string_view DefaultStrategy(const SearchSpace& space, bool has_network) {
  return has_network ? "model" : space.size() <= kLargestExhaustiveSpace ? "exhaustive" : "greedy";
}

}  // namespace halftone
