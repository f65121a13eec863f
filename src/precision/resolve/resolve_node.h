// Resolution of one node, with all nodes before it resolved.
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
  std::string ai_core_refusal;         // why the node is on AI CPU; empty: it is not
  std::vector<RefusedColumn> columns;  // of the AI Core op library
  std::string kept_by;                 // the line of keep_dtype in force; empty: none
  std::string custom_by;               // the target of the customize_dtypes line; empty: none
};

// Resolves the node with the list and lines that name it. Errors as ChooseEngine().
NodePrecision ResolveNode(const NodeToResolve& listed, const ImplModeRequests& requests,
                          const ResolvedValues& values, std::vector<std::string>& warnings,
                          NodeTrace* trace = nullptr);

}  // namespace halftone
