// Evolves candidates as NSGA-II does (Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist
// multiobjective genetic algorithm: NSGA-II", 2002), with pagmo's sorting, crowding, crossover and
// mutation: the baseline that needs no knowledge of networks.
//
// A genome is mode, implementation-mode set and one bit for each operator that may be kept. The
// first generation are the global points and random ones; each further one has as many children of
// tournament winners, then the best of both generations by rank and crowding. It ends when a
// hundred children in a row were proposed before.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

std::unique_ptr<SearchStrategy> MakeNsga2Strategy(const SearchSpace& space,
                                                  const StrategyOptions& options);

}  // namespace halftone
