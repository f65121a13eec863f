// The fewest lines of keep_dtype, customize_dtypes and modify_mixlist that give every node the
// dtypes of a plan, for one precision mode.
//
// A node's result depends on the results of the nodes before it and on its own lines. Where all of
// them are as the plan has them, nodes do not influence each other, so every IR type can be solved
// on its own: which list it is on, which line its type has, which of its nodes need a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/column_phase.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/write/node_address.h"
#include "src/target/target_spec.h"

namespace halftone {

struct DTypeLines {
  std::vector<std::string> keep;  // sorted
  std::vector<CustomDTypes> custom;
  std::optional<Mixlist> mixlist;
  std::size_t size = 0;            // options given and entries in their files
  std::vector<std::string> notes;  // names that could not be written, and what stands for them
};

struct DTypeLinesQuery {
  const Graph& graph;
  const PrecisionPlan& plan;
  const TargetSpec& target;
  const ResolvedValues& values;  // the dtypes of the plan
  const std::vector<NodeAddress>& addresses;
};

// Empty when no lines lead from this mode to the plan; `obstacle` then names the first node. Node
// casts of the model are not judged.
std::optional<DTypeLines> FewestDTypeLines(const DTypeLinesQuery& query, const PrecisionMode& mode,
                                           std::string& obstacle);

}  // namespace halftone
