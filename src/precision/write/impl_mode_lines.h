// Search for the smallest set of options and lines that gives every node the implementation mode of
// a plan.
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
  PrecisionOptions options;  // only options on implementation modes are set
  std::size_t size = 0;      // number of options, plus number of entries in their files
};

// The smallest of these sets that gives the plan: no option; a value of --op_select_implmode;
// high_precision or high_performance with a type list; an ini file. On a target with HF32, each set
// is tried with and without every value of --allow_hf32. Empty: none gives the plan, and `obstacle`
// receives the name of a node that they cannot serve.
std::optional<ImplModeLines> FewestImplModeLines(const Graph& graph, const PrecisionPlan& plan,
                                                 const TargetSpec& target,
                                                 const std::vector<NodeAddress>& addresses,
                                                 std::string& obstacle);

}  // namespace halftone
