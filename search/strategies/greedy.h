// Measures the gain of keeping each operator in float32, then keeps those with the most gain per
// cost: the sensitivity method of quantization tools, on measured accuracy and measured latency.
//
// Stages, each proposed when the results of the one before are in:
//   1. bases      every mode with the default, then with every implementation-mode set of several
//                 types; nothing kept.                                     modes x sets proposals
//   2. probes     for each of at most kMaxBases low-precision bases (see ChooseBases): the base
//                 with one operator kept. The gain is how much the loss falls, the cost how much
//                 the latency grows. Above kMaxProbes operators, runs of neighbours are kept
//                 together, and the best eighth of these runs is then probed operator by operator.
//                                                           at most 2 x kMaxProbes a base
//   3. keep sets  operators in the order of gain per cost; the first 1, 2, 4, 8, ..., all of them
//                 kept, on the base and on the other implementation-mode sets that are best for its
//                 mode; then halving between neighbours where the front has its largest gap.
//                                         at most 3 x (log2(n) + 2) + kMaxHalvings a base
//   4. types      at most kMaxTypePoints members of the front, with each implementation-mode set
//                 that changes a single type.                     kMaxTypePoints x types proposals
// The bases go through stages 2 and 3 one after the other, so that an interrupted search has
// finished at least one. Repeated proposals are left out, so the numbers are upper bounds.
//
// A rejection counts as infinite loss and infinite latency. Needs no random numbers: the seed is
// not used. Suggest() expects results of all proposals at the end of a stage; missing ones count as
// rejected.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

inline constexpr std::size_t kMaxBases = 4;
inline constexpr std::size_t kMaxProbes = 64;
inline constexpr std::size_t kMaxHalvings = 16;
inline constexpr std::size_t kMaxTypePoints = 4;

// Upper bound on the number of proposed plans, the global ones included.
std::size_t MostGreedyPlans(const SearchSpace& space);

std::unique_ptr<SearchStrategy> MakeGreedyStrategy(const SearchSpace& space,
                                                   const StrategyOptions& options);

}  // namespace halftone
