// Smallest set of lines of keep_dtype, customize_dtypes and modify_mixlist that give every node the
// dtypes of a plan, for one precision mode.
//
// The dtypes of a node depend on those of the nodes before it and on its own lines. Once all
// earlier dtypes match the plan, nodes do not influence each other. So each IR type is solved on
// its own: its list, the line of the type, the nodes that need a line. A node that the target joins
// with another has no line, because that would keep the other one too.
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
  std::vector<std::string> notes;  // names that a format cannot express, and their replacements
};

struct DTypeLinesQuery {
  const Graph& graph;
  const PrecisionPlan& plan;
  const TargetSpec& target;
  const ResolvedValues& values;  // the dtypes of the plan
  const std::vector<NodeAddress>& addresses;
  const std::vector<NodeId>& joined;  // JoinedWith(): a part has the types of its main node
};

// Empty when no lines give the plan in this mode; `obstacle` then names the first node. Cast nodes
// of the model are not judged.
std::optional<DTypeLines> FewestDTypeLines(const DTypeLinesQuery& query, const PrecisionMode& mode,
                                           std::string& obstacle);

}  // namespace halftone
