// Resolution of precision options to a plan, by the algorithm of docs/internals/resolving.md. The
// same graph, options and target always give the same plan or the same Error.
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
  // True: names in keep_dtype and customize_dtypes that are not in the graph cause a warning, not
  // error E10042.
  bool unknown_names_are_warnings = false;
};

// Refusals of every node, for `explain`.
struct ResolutionTrace {
  std::vector<NodeTrace> nodes;  // parallel to Graph::nodes
};

// Resolves the options. Without a trace the time is linear in nodes and edges; `trace`, unless
// null, receives the refusals and costs further time. Error kUsage, with the code of the
// specification in the text (E10001, E10056, ...): illegal options, names in keep_dtype or
// customize_dtypes that are not in the graph (the text has the closest names), a number format that
// a node cannot have, or a missing quantisation. Error kUnsupported with EZ3002 and EZ3003: no
// engine of the target can run a node. Errors kUnsupported also as EffectiveMode().
PrecisionPlan ResolvePrecision(const Graph& graph, const PrecisionOptions& options,
                               const TargetSpec& target, const ResolveSettings& settings = {},
                               ResolutionTrace* trace = nullptr);

}  // namespace halftone
