// Finds the operators that can be lowered by bisection: the method of automatic mixed-precision
// converters, which accept or refuse a set of operators by one bound on the error. A baseline.
//
// First the global modes. Then, for the fastest mode of each 16-bit type and for each bound in
// decibels from the loosest on: lowers all operators known to be good, together with the largest
// run of unknown operators. If the loss meets the bound, the run is good; else the run is halved,
// and a run of one operator stays in float32. At most 2 n - 1 proposals a bound for n operators.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

// Name, meaning, least, most, fallback.
inline constexpr StrategyOption kBisectOptions[] = {
    {"bounds", "number of bounds on the error", 1, 20, 4},
    {"first_db", "decibels of the loosest bound", 1, 200, 30},
    {"step_db", "decibels from one bound to the next", 1, 100, 10},
};

std::unique_ptr<SearchStrategy> MakeBisectStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
