// The search by model: few measurements of whole plans, because errors of small perturbations add
// up, and times nearly do.
//
//   1. global    every mode with the default and the all-type implementation modes, nothing kept
//   2. probes    what every group of operators feels of each choice (search/prober.h)
//   3. rounds    the model's front is solved (search/additive_model.h); the members that promise
//                the largest gain of hypervolume are proposed, kFirstRound of them at first, then
//                kRound; what they measured moves the model. A plan that is rejected takes float16
//                from the group with the largest values.
// It ends when no member promises kLeastGain of the hypervolume for two rounds, or after the
// number of proposals that MostProposals() allows.
#pragma once

#include <cstddef>
#include <memory>

#include "search/strategy.h"

namespace halftone {

inline constexpr std::size_t kFirstRound = 12;
inline constexpr std::size_t kRound = 6;
inline constexpr double kLeastGain = 0.001;

// Two for each group, and never fewer than 60: small networks are cheap.
std::size_t MostProposals(std::size_t groups);

// Error kUsage without options.network.
std::unique_ptr<SearchStrategy> MakeModelStrategy(const SearchSpace& space,
                                                  const StrategyOptions& options);

}  // namespace halftone
