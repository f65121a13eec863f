// Proposes every point of the space, in the order of PointWalk.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

// `exhaustive` takes spaces up to this size: at 0.3 s a trial they take less than an hour.
inline constexpr std::uint64_t kLargestExhaustiveSpace = 10'000;

// Error kUsage for a larger space.
std::unique_ptr<SearchStrategy> MakeExhaustiveStrategy(const SearchSpace& space,
                                                       const StrategyOptions& options);

}  // namespace halftone
