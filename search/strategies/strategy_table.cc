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
    {"model", "probes the sensitivity of every operator, predicts all plans, and measures the best",
     MakeModelStrategy, kModelOptions, /*needs_network=*/true},
    {"greedy", "measures what each operator costs and gains, then keeps the most rewarding ones",
     MakeGreedyStrategy, kGreedyOptions},
    {"bisect", "halves sets of operators until what is left meets bounds on the error: a baseline",
     MakeBisectStrategy, kBisectOptions},
    {"nsga2", "evolves candidates by mutation, crossover and selection: a baseline",
     MakeNsga2Strategy, kNsga2Options},
    {"exhaustive", "every candidate of a space of at most 10000", MakeExhaustiveStrategy},
    {"random", "candidates drawn at random: the baseline", MakeRandomStrategy},
};

const StrategyRow& RowNamed(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) {
      return row;
    }
    names.emplace_back(row.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("unknown strategy '{}': expected one of {}",
                                             Shown(name), Join(names, ", ")));
}

}  // namespace

std::span<const StrategyRow> AllStrategies() {
  return kStrategies;
}

StrategyChoice ParseStrategy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const StrategyRow& row = RowNamed(text.substr(0, colon));
  StrategyChoice choice{.row = &row, .values = {}};
  if (colon != std::string_view::npos) {
    choice.values = ParseOptionValues(row.name, row.options, text.substr(colon + 1));
  }
  return choice;
}

std::string CanonicalStrategy(std::string_view text) {
  const StrategyChoice choice = ParseStrategy(text);
  const std::string values = OptionValuesText(choice.row->options, choice.values);
  return values.empty() ? std::string(choice.row->name)
                        : fmt::format("{}:{}", choice.row->name, values);
}

std::unique_ptr<SearchStrategy> MakeStrategy(std::string_view text, const SearchSpace& space,
                                             const StrategyOptions& options) {
  const StrategyChoice choice = ParseStrategy(text);
  StrategyOptions with_values = options;
  with_values.values = choice.values;
  return choice.row->make(space, with_values);
}

std::string_view DefaultStrategy(const SearchSpace& space, bool has_network) {
  return has_network ? "model" : space.size() <= kLargestExhaustiveSpace ? "exhaustive" : "greedy";
}

}  // namespace halftone
