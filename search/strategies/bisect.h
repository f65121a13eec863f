// Finds by bisection which operators can be lowered, as automatic mixed-precision converters do:
// they accept or refuse a set of operators by one bound on the error. This strategy is a baseline.
//
// The global points are proposed first. Then the strategy takes the bounds in decibels one after
// the other, the loosest first, and for each bound the fastest mode of each 16-bit type. It
// proposes to lower all operators known to be good, together with the largest run of unknown
// operators. If the loss meets the bound, the operators of the run are good. If not, the run is
// halved, or kept in float32 if it is a single operator. For n operators, a bound takes at most
// 2n-1 proposals in each mode.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

// Columns: name, meaning, least, most, fallback.
inline constexpr StrategyOption kBisectOptions[] = {
    {"bounds", "number of bounds on the error", 1, 20, 4},
    {"first_db", "decibels of the loosest bound", 1, 200, 30},
    {"step_db", "decibels from one bound to the next", 1, 100, 10},
};

std::unique_ptr<SearchStrategy> MakeBisectStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
