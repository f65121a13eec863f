#include "src/api/bank/tuned_plans.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// The sets of implementation modes in the space that cover all operators: the built-in file, and
// one for each mode. Sets for single types come after them and add no other call.
constexpr std::size_t kSetsOfAllOperators = 3;

// Empty: such a candidate becomes a rejection of the search.
std::optional<PrecisionPlan> PlanOf(const Candidate& candidate, const Graph& graph,
                                    const TargetSpec& target) {
  try {
    return ResolvePrecision(graph, candidate.options, target);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kModel &&
        error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace

std::vector<PrecisionPlan> PlansToTune(const Graph& graph, const TargetSpec& target,
                                       const SearchSpace& space) {
  std::vector<PrecisionPlan> plans = {ReferencePlan(graph)};
  std::set<std::string> seen = {plans.front().Digest().ToHex()};
  const std::size_t sets = std::min(space.impl_mode_sets.size(), kSetsOfAllOperators);
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t mode = 0; mode < space.modes.size(); ++mode) {
      auto plan = PlanOf(MakeCandidate(space, mode, {}, set), graph, target);
      if (plan && seen.insert(plan->Digest().ToHex()).second) {
        plans.push_back(*std::move(plan));
      }
    }
  }
  return plans;
}

}  // namespace halftone
