// Proposes points at random: the baseline that any cleverer strategy has to beat.
//
// The first proposals are all modes, in the order of the space, with nothing kept and the default
// implementations. After them, mode and implementation-mode set are drawn uniformly, the number of
// kept nodes log-uniformly between 0 and all of them, and the kept nodes uniformly among the sets
// of that size. Small keep sets have the interesting trade-offs: with 50 nodes, half of the draws
// keep at most 6. No point is proposed twice, and a small space is exhausted.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

std::unique_ptr<SearchStrategy> MakeRandomStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
