// Proposes every point of the space, in the order of PointWalk.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

// Largest space that `exhaustive` takes; at 0.3 s a trial, it is searched in less than an hour.
inline constexpr std::uint64_t kLargestExhaustiveSpace = 10'000;

// Error kUsage for a larger space.
std::unique_ptr<SearchStrategy> MakeExhaustiveStrategy(const SearchSpace& space,
                                                       const StrategyOptions& options);

}  // namespace halftone
