#include "search/strategies/alternative_sets.h"

#include <algorithm>

namespace halftone {
namespace {

constexpr std::size_t kMostLookedAt = 8;
constexpr std::size_t kMostSets = 3;
constexpr double kMostMore = 1.02;

bool IsKept(const Decisions& decisions, const Assignment& assignment, std::size_t group) {
  return decisions.groups()[group].choices[assignment[group]].format == DType::kFloat32;
}

}  // namespace

std::vector<AlternativeSet> AlternativeSets(const PlanPredictor& predictor,
                                            const Decisions& decisions,
                                            const Assignment& assignment,
                                            const Objectives& measured) {
  std::vector<AlternativeSet> sets;
  std::size_t looked_at = 0;
  for (std::size_t g = 0; g < assignment.size() && looked_at < kMostLookedAt; ++g) {
    if (!IsKept(decisions, assignment, g)) {
      continue;
    }
    ++looked_at;
    const auto point = predictor.FastestWithout(assignment, g, kMostMore * measured.loss);
    if (!point || point->predicted.latency_ratio > kMostMore * measured.latency_ratio) {
      continue;
    }
    AlternativeSet set{.lowered = decisions.groups()[g].name, .kept = {}, .predicted = {}};
    for (std::size_t other = 0; other < assignment.size(); ++other) {
      if (IsKept(decisions, point->assignment, other)) {
        set.kept.push_back(decisions.groups()[other].name);
      }
    }
    set.predicted = point->predicted;
    if (std::ranges::find(sets, set.kept, &AlternativeSet::kept) == sets.end()) {
      sets.push_back(std::move(set));
    }
  }
  std::ranges::stable_sort(sets, {},
                           [](const AlternativeSet& set) { return set.predicted.latency_ratio; });
  sets.resize(std::min(sets.size(), kMostSets));
  return sets;
}

}  // namespace halftone
