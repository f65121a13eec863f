// Finds the operators that can be lowered by bisection: the method of automatic mixed-precision
// converters, which accept or refuse a set of operators by one bound on the error. A baseline.
//
// After the global modes, for the fastest mode of each 16-bit type and for each bound of
// kBisectDecibels, from the loosest: operators that are known to be good are lowered, and the
// largest run of unknown ones with them. Where the loss meets the bound, the run is good; else it
// is halved, and a single operator is kept in float32. At most 2 n - 1 proposals a bound for n
// operators.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

inline constexpr double kBisectDecibels[] = {30, 40, 50, 60};

std::unique_ptr<SearchStrategy> MakeBisectStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
