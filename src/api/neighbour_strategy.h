// Searches around configurations that are known, in some operators only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace halftone {

// Proposes `from`, then each of them with one of `nodes` kept that was not, or not kept that was;
// what the front of all outcomes gains is changed further in the same way, until it gains nothing.
// Nodes that are not keepable in `space` have no choice.
std::unique_ptr<SearchStrategy> MakeNeighbourStrategy(const SearchSpace& space,
                                                      std::vector<Candidate> from,
                                                      const std::set<std::string>& nodes);

}  // namespace halftone
