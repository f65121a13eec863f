// Types in which a runtime ran nodes, compared with those of the plan.
#pragma once

#include <map>
#include <string>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Clause on the nodes of `ran` (type by name, as "fp16", "float32", "int8") that ran in another
// type than the plan has; empty: none. Names that the network does not have, and types that
// halftone does not have, such as int32, are ignored.
std::string RanOtherwise(const Graph& network, const PrecisionPlan& plan,
                         const std::map<std::string, std::string>& ran);

}  // namespace halftone
