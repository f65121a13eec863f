// The search by model: few measurements of whole plans, because errors of small perturbations add
// up, and times nearly do.
//
//   1. global    every mode with the default implementations, nothing kept; modes with other
//                implementations come after 12 plans of the rounds, in the order of their promise
//   2. probes    sensitivity of every group of operators to each choice (search/probe/prober.h)
//   3. rounds    each solves the model's front (search/model/additive_model.h). Candidates are its
//                members, and plans that differ from a member of the measured front in one group
//                (in two for small networks). The round proposes the candidates that may gain the
//                most hypervolume: FirstRound() of them, then LaterRound(); with the option
//                `round`, twice `round`, then `round`. Their results refit the model. After a plan
//                overflows, the group with the largest values loses float16. With a bound on
//                accuracy, the last plans, up to `goal_plans`, are those that may meet the bound in
//                less time.
//   4. small     networks of at most `few_groups` groups go on with the greedy strategy: their
//                plans cost little, and errors of few operators do not average out. Then follow,
//                up to `small_plans`, plans that would gain if the model were far off.
// The rounds end after two in which no plan may gain kLeastGain of the hypervolume, or after
// MostProposals() proposals.
#pragma once

#include <cstddef>
#include <memory>

#include "search/space/decisions.h"
#include "search/strategies/strategy.h"
#include "search/strategies/strategy_option.h"

namespace halftone {

inline constexpr double kLeastGain = 0.001;

inline constexpr std::size_t kFewGroups = 16;
inline constexpr std::size_t kPlansOfSmall = 120;

// Name, meaning, least, most, fallback. `round` is at most 30, because the first round has twice as
// many plans and MostProposals() allows 60. `few_groups` is limited because small networks try
// changes in every pair of groups.
inline constexpr StrategyOption kModelOptions[] = {
    {"round", "plans of a round, twice as many at first; 0: an eighth of the groups, 2 to 6", 0, 30,
     0},
    {"goal_plans", "plans that may meet a bound on accuracy in less time", 0, 10'000, 24},
    {"few_groups", "groups of operators up to which a network is small", 0, 64, kFewGroups},
    {"small_plans", "plans up to which a small network is searched on", 0, 1000, kPlansOfSmall},
};

// Number of proposals of the first round, a quarter of the groups within 3 to 12, and of later
// rounds, an eighth within 2 to 6. After small rounds the model knows more for the next ones; in
// large networks the model takes longer, and the plans of a round differ enough.
std::size_t FirstRound(std::size_t groups);
std::size_t LaterRound(std::size_t groups);

// Options of the decisions for a space: formats that some mode lowers to, and nodes that are not
// pinned.
DecisionOptions DecisionOptionsOf(const SearchSpace& space, const TargetSpec& target);

// Limit on proposals in the rounds: two per group, at least 60.
std::size_t MostProposals(std::size_t groups);

// Error kUsage without options.network.
std::unique_ptr<SearchStrategy> MakeModelStrategy(const SearchSpace& space,
                                                  const StrategyOptions& options);

}  // namespace halftone
