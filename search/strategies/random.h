// Proposes points at random: the baseline that any cleverer strategy has to beat.
//
// First every mode with nothing kept and the default implementation modes, in the order of the
// space. Then it draws mode and implementation-mode set uniformly, the number of kept nodes
// log-uniformly between 0 and all of them, and the kept nodes uniformly among sets of that size.
// Small keep sets have the interesting trade-offs: of 50 nodes, half of the draws keep at most 6.
// No point comes twice; a small space is exhausted.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

std::unique_ptr<SearchStrategy> MakeRandomStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
