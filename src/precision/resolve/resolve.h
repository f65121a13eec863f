// Resolution of precision options to a plan, by the algorithm of docs/internals/resolving.md. Pure
// and total: the same graph, options and target give the same plan; unresolvable input is an Error.
#pragma once

#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/resolve_node.h"
#include "src/target/target_spec.h"

namespace halftone {

struct ResolveSettings {
  // Names in keep_dtype and customize_dtypes that are not in the graph: a warning instead of
  // E10042.
  bool unknown_names_are_warnings = false;
};

// Refusals of every node, for `explain`.
struct ResolutionTrace {
  std::vector<NodeTrace> nodes;  // parallel to Graph::nodes
};

// Errors: kUsage with the code of the specification in the text (E10001, E10056, ...) for illegal
// options and for names in keep_dtype that are not in the graph (with the closest names);
// kUnsupported with EZ3002/EZ3003 for a node that no engine of the target can run. A trace costs
// time; without one the work is linear in nodes and edges.
PrecisionPlan ResolvePrecision(const Graph& graph, const PrecisionOptions& options,
                               const TargetSpec& target, const ResolveSettings& settings = {},
                               ResolutionTrace* trace = nullptr);

}  // namespace halftone
