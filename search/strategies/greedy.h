// Measures the gain of keeping each operator in float32, then keeps the operators with the most
// gain per cost. This is the sensitivity method of quantization tools, on measured accuracy and
// measured latency.
//
// A base is a global point that lowers some operators. At most `bases` of them are used, one per
// mode: the fastest base of each 16-bit type (its first mode if all are rejected), then members of
// the front. Each of these stages begins when the results of the stage before are known:
//   1. modes      Every mode with the default implementations, then the modes of the bases with
//                 every implementation-mode set of several types; nothing is kept. The other modes
//                 with these sets come after stage 3.
//                 Number of proposals in all: modes x sets.
//   2. probes     For each base: the base with one operator kept. The gain is the decrease of the
//                 error power, the cost is the increase of the latency. With more than `probes`
//                 operators, runs of neighbours are kept together first, and the best eighth of
//                 these runs is then probed operator by operator.
//                 Number of proposals a base: at most 2 x probes.
//   3. keep sets  The first 1, 2, 4, 8, ... operators in the order of gain per cost are kept, and
//                 then all of them. This is done with the implementation-mode set of the base, and
//                 with the fastest and the most accurate set for its mode. Then the largest gap
//                 between neighbouring keep sets is halved, `halvings` times.
//                 Number of proposals a base: at most 3 x (log2(n) + 2) + halvings.
//   4. types      At most `type_points` members of the front, with each implementation-mode set
//                 that changes a single type.
//                 Number of proposals: type_points x types.
// Each base goes through stages 2 and 3 before the next base does, so that an interrupted search
// has finished at least one base. The numbers of proposals are upper bounds, because no candidate
// is proposed twice.
//
// A rejection counts as infinite loss and infinite latency. The strategy uses no random numbers and
// ignores the seed. At the end of a stage, Suggest() expects the results of all proposals; a
// missing result counts as a rejection.
#pragma once

#include <cstddef>
#include <memory>

#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

// Columns: name, meaning, least, most, fallback.
inline constexpr StrategyOption kGreedyOptions[] = {
    {"bases", "low-precision modes whose operators are probed", 0, 100, 4},
    {"probes", "operators or runs of neighbours that are probed for each of them", 1, 10'000, 64},
    {"halvings", "keep sets between two others for each of them", 0, 10'000, 16},
    {"type_points", "front members tried with implementation modes of single types", 0, 10'000, 4},
};

// Upper bound on the number of proposed plans with these option values, including the global plans.
std::size_t MostGreedyPlans(const SearchSpace& space, const StrategyValues& values = {});

std::unique_ptr<SearchStrategy> MakeGreedyStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
