// Resolution of one node, after all nodes before it.
#pragma once

#include <string>
#include <vector>

#include "src/precision/precision_plan.h"
#include "src/precision/resolve/column_phase.h"
#include "src/precision/resolve/engine_phase.h"
#include "src/precision/resolve/impl_mode_choice.h"

namespace halftone {

// Refused engines and columns of a node, for `explain`.
struct NodeTrace {
  std::string ai_core_refusal;         // reason why the node is on AI CPU; empty: it is not
  std::vector<RefusedColumn> columns;  // refused columns of the AI Core op library
  std::string kept_by;                 // line of keep_dtype that matches; empty: none
  std::string custom_by;               // target of the customize_dtypes line; empty: none
};

// Resolves the node. A customize_dtypes line overrides keep_dtype and the lists for the whole node.
// Appends full sentences to `warnings`. Errors as ChooseEngine() and CheckCustomCast().
NodePrecision ResolveNode(const NodeToResolve& listed, const ImplModeRequests& requests,
                          const ResolvedValues& values, std::vector<std::string>& warnings,
                          NodeTrace* trace = nullptr);

}  // namespace halftone
