// Local search around known configurations, which changes some operators only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "search/strategies/strategy.h"
#include "src/ir/graph.h"
#include "src/target/target_spec.h"

namespace halftone {

// Proposes the candidates of `from`. Then it changes each member of the front in one group of
// operators (search/space/decisions.h) that has a node of `nodes`, to every other choice of the
// group (dtype and implementation); it repeats that for new members until there are none.
// forecast() counts only the changes of `from`. `graph` and `target` must outlive the strategy.
std::unique_ptr<SearchStrategy> MakeNeighbourStrategy(const Graph& graph, const TargetSpec& target,
                                                      const SearchSpace& space,
                                                      std::vector<Candidate> from,
                                                      const std::set<std::string>& nodes);

}  // namespace halftone
