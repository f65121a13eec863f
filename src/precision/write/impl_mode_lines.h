// Smallest set of options and lines that give every node the implementation mode of a plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/precision/write/node_address.h"
#include "src/target/target_spec.h"

namespace halftone {

struct ImplModeLines {
  PrecisionOptions options;  // only the implementation-mode options are set
  std::size_t size = 0;      // options given and entries in their files
};

// Tries, with every value of --allow_hf32 where the target has HF32: no option, each value of
// --op_select_implmode, the plain ones with a type list, and an ini file. Empty when none of them
// gives the plan; `obstacle` then names a node.
std::optional<ImplModeLines> FewestImplModeLines(const Graph& graph, const PrecisionPlan& plan,
                                                 const TargetSpec& target,
                                                 const std::vector<NodeAddress>& addresses,
                                                 std::string& obstacle);

}  // namespace halftone
