// Local search around known configurations, in some operators only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "search/strategies/strategy.h"
#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone {

// Proposes the candidates of `from`, then each of them with another choice (dtype and
// implementation) in one group of operators (search/space/decisions.h) that has a node of `nodes`.
// New members of the front are changed in the same way, until there are none. forecast() counts the
// first changes. `graph` and `target` must outlive it.
std::unique_ptr<SearchStrategy> MakeNeighbourStrategy(const Graph& graph, const TargetSpec& target,
                                                      const SearchSpace& space,
                                                      std::vector<Candidate> from,
                                                      const std::set<std::string>& nodes);

}  // namespace halftone
