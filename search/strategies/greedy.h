// Measures the gain of keeping each operator in float32, then keeps those with the most gain per
// cost: the sensitivity method of quantization tools, on measured accuracy and measured latency.
//
// Stages, each proposed when the results of the one before are in:
//   1. modes      every mode with the default implementations, then at most `bases` of the modes
//                 (ChooseBases()) with every implementation-mode set of several types; nothing is
//                 kept. The other modes with these sets come after stage 3.
//                 modes x sets proposals in all
//   2. probes     for each of at most `bases` low-precision bases (ChooseBases()): the base with
//                 one operator kept. The gain is the fall of the loss, the cost the rise of the
//                 latency. With more than `probes` operators, runs of neighbours are kept together,
//                 and the best eighth of these runs is then probed operator by operator.
//                 at most 2 x probes proposals a base
//   3. keep sets  the first 1, 2, 4, 8, ..., all operators in the order of gain per cost are kept,
//                 on the base and on the other implementation-mode sets that are best for its mode;
//                 then halving between neighbours where the front has its largest gap.
//                 at most 3 x (log2(n) + 2) + halvings proposals a base
//   4. types      at most `type_points` members of the front, with each implementation-mode set
//                 that changes a single type.
//                 type_points x types proposals
// The bases go through stages 2 and 3 one after the other, so that an interrupted search has
// finished at least one base. The numbers are upper bounds, because no candidate is proposed twice.
//
// A rejection counts as infinite loss and infinite latency. Needs no random numbers: the seed is
// not used. Suggest() expects results of all proposals at the end of a stage; missing ones count as
// rejected.
#pragma once

#include <cstddef>
#include <memory>

#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

// Name, meaning, least, most, fallback.
inline constexpr StrategyOption kGreedyOptions[] = {
    {"bases", "low-precision modes whose operators are probed", 0, 100, 4},
    {"probes", "operators or runs of neighbours that are probed for each of them", 1, 10'000, 64},
    {"halvings", "keep sets between two others for each of them", 0, 10'000, 16},
    {"type_points", "front members tried with implementation modes of single types", 0, 10'000, 4},
};

// Upper bound on the number of proposed plans with these values of the options, the global plans
// included.
std::size_t MostGreedyPlans(const SearchSpace& space, const StrategyValues& values = {});

std::unique_ptr<SearchStrategy> MakeGreedyStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
