// Search by model: it needs few measurements of whole plans, because the error powers of small
// perturbations add up, and times nearly do.
//
//   1. global    Every mode with the default implementations and nothing kept, then plans in
//                scaled and in dynamic formats. Modes with other implementations come after 12
//                plans of the rounds, the most promising first.
//   2. probes    Sensitivity of every group of operators to each choice (search/probe/prober.h).
//   3. rounds    Each round solves the model for its front (search/model/additive_model.h). The
//                candidates of the round are the members of this front, and plans that differ from
//                a member of the measured front in one group (for small networks, also in two).
//                The round proposes the candidates that may gain the most hypervolume: FirstRound()
//                candidates in the first round, LaterRound() in each later one; with the option
//                `round`, twice `round`, then `round`. The model is fitted again to their results.
//                After a plan overflows float16, the group with the largest values may no longer
//                use float16. With a bound on accuracy, up to `goal_plans` plans follow that may
//                meet the bound in less time.
//   4. small     A network of at most `few_groups` groups continues with the greedy strategy,
//                because its plans cost little, and errors of few operators do not average out.
//                Then plans are proposed that would gain if the model were far off, until
//                `small_plans` plans are known.
//   5. draws     With StrategyOptions::goes_on: random assignments
//                (search/model/assignment_draws.h), until the space is exhausted.
// The rounds end after two successive rounds in which no plan may gain kLeastGain of the
// hypervolume, or after MostProposals() proposals.
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

// Columns: name, meaning, least, most, fallback. `round` is at most 30, because the first round has
// twice as many plans and MostProposals() allows 60. `few_groups` is limited, because small
// networks try changes in every pair of groups.
inline constexpr StrategyOption kModelOptions[] = {
    {"round", "plans of a round, twice as many at first; 0: an eighth of the groups, 2 to 6", 0, 30,
     0},
    {"goal_plans", "plans that may meet a bound on accuracy in less time", 0, 10'000, 24},
    {"few_groups", "groups of operators up to which a network is small", 0, 64, kFewGroups},
    {"small_plans", "plans up to which a small network is searched on", 0, 1000, kPlansOfSmall},
};

// Number of proposals of the first round (a quarter of the groups, 3 to 12), and of each later
// round (an eighth of the groups, 2 to 6). After a small round, the model knows more for the next
// one. Large networks have larger rounds, because their model takes longer and the plans of a round
// differ enough.
std::size_t FirstRound(std::size_t groups);
std::size_t LaterRound(std::size_t groups);

// Options of the decisions for a space: its formats to search (FormatsToSearch()) without refused
// ones, and without formats that need scales if the space has none; its pinned nodes, slow choices
// and scales. Implementations are searched if the space has several implementation-mode sets.
DecisionOptions DecisionOptionsOf(const SearchSpace& space, const TargetSpec& target);

// Limit on the proposals of all rounds: two per group, but at least 60.
std::size_t MostProposals(std::size_t groups);

// Error kUsage without options.network.
std::unique_ptr<SearchStrategy> MakeModelStrategy(const SearchSpace& space,
                                                  const StrategyOptions& options);

}  // namespace halftone
