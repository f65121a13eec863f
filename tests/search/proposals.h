// Proposals of a strategy from its first candidate to its last.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "search/strategies/strategy.h"

namespace halftone::testing {

using Outcome = std::function<Trial(const Candidate&)>;

struct Proposals {
  std::vector<Candidate> proposed;
  std::vector<std::size_t> counts;  // per Suggest()
};

inline Proposals RunToTheEnd(SearchStrategy& strategy, std::size_t max_count,
                             const Outcome& outcome, std::size_t limit = 100'000) {
  Proposals run;
  while (run.proposed.size() < limit) {
    const auto candidates = strategy.Suggest(max_count);
    run.counts.push_back(candidates.size());
    if (candidates.empty()) {
      break;
    }
    std::vector<Trial> finished;
    for (const Candidate& candidate : candidates) {
      run.proposed.push_back(candidate);
      finished.insert(finished.begin(), outcome(candidate));  // any order
    }
    strategy.Update(finished);
  }
  return run;
}

inline bool Distinct(const std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (std::find(candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1, candidates.end(),
                  candidates[i]) != candidates.end()) {
      return false;
    }
  }
  return true;
}

}  // namespace halftone::testing
