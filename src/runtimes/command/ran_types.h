// Types in which a runtime ran nodes, compared with those of the plan.
#pragma once

#include <map>
#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Clause on the nodes that ran in another type than the plan has; empty if there are none. `ran`
// has the type of each node by name: "fp16", "float32", "int8". Names that the network does not
// have are ignored, and so are types that halftone does not have, such as int32.
std::string RanOtherwise(const Graph& network, const PrecisionPlan& plan,
                         const std::map<std::string, std::string>& ran);

}  // namespace halftone
