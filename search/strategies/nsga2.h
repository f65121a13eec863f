// Evolves candidates as NSGA-II does (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist
// multiobjective genetic algorithm: NSGA-II", 2002), with the sorting, crowding, crossover and
// mutation of pagmo. It serves as the baseline that needs no knowledge of networks.
//
// A genome consists of the mode, the implementation-mode set, and one bit for each operator that
// may be kept. The first generation consists of the global points, filled up to `population` points
// with random ones. Each further generation consists of `population` children of tournament winners
// (or one more, because children come in pairs). The best points of both generations by rank and
// crowding survive. A generation ends early when `repeats` draws (or pairs of children) in a row
// give no new point. The search ends with a generation without a new point.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

// Columns: name, meaning, least, most, fallback.
inline constexpr StrategyOption kNsga2Options[] = {
    {"population", "plans of a generation", 2, 1000, 24},
    {"repeats", "pairs of known plans in a row that end a generation", 1, 10'000, 100},
};

std::unique_ptr<SearchStrategy> MakeNsga2Strategy(const SearchSpace& space,
                                                  const StrategyOptions& options);

}  // namespace halftone
