// Search for the smallest set of lines of keep_dtype, customize_dtypes and modify_mixlist that
// gives every node the dtypes of a plan, in one precision mode.
//
// The dtypes of a node depend on those of the nodes before it and on its own lines. Since all
// earlier nodes have the dtypes of the plan, nodes do not influence each other. So each IR type is
// solved alone, for its mixlist entry, the line of the type, and the nodes that need a line. A node
// that the target joins to a main node gets no line, because the line would keep the main node too.
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
  std::size_t size = 0;            // number of options, plus number of entries in their files
  std::vector<std::string> notes;  // full sentences about names that a format cannot express
};

struct DTypeLinesQuery {
  const Graph& graph;
  const PrecisionPlan& plan;
  const TargetSpec& target;
  const ResolvedValues& values;               // dtypes of all values in the plan
  const std::vector<NodeAddress>& addresses;  // AddressesOf()
  const std::vector<NodeId>& joined;          // JoinedWith()
};

// The smallest set of lines. Empty: no lines give the plan in this mode, and `obstacle` receives
// the name of a node that they cannot serve. Cast nodes of the model have no lines and are not
// checked.
std::optional<DTypeLines> FewestDTypeLines(const DTypeLinesQuery& query, const PrecisionMode& mode,
                                           std::string& obstacle);

}  // namespace halftone
