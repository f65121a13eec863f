// Which implementation mode a node asks for, and which one it gets. Independent of dtype selection
// but for the last step: a target may offer several implementations for one dtype only.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/files/builtin_impl_modes.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/precision/resolve/allow_hf32.h"
#include "src/target/target_spec.h"

namespace halftone {

// The options, checked, and the one source besides node and type lines that is in force.
struct ImplModeRequests {
  const PrecisionOptions* options;
  // Empty: an op_precision_mode file is given, which switches the built-in tables off.
  std::optional<BuiltinImplModes> builtin;
  // --optypelist_for_implmode: only these types, all with the plain mode of `builtin`.
  std::set<std::string, std::less<>> listed_types;
  // --allow_hf32, where it is given and the target has it.
  std::optional<AllowHf32> hf32;
  // Of an installation, in place of the built-in tables of the same names.
  const ImplModeFiles* files = nullptr;
};

// Errors: kUsage with E10001 for an unknown --op_select_implmode, a type list without it, or a mode
// `default` in the maps. Options that do not count are noted in `warnings`.
ImplModeRequests CheckImplModeOptions(const PrecisionOptions& options, const TargetSpec& target,
                                      std::vector<std::string>& warnings);

// Names of [ByNodeName] that no node has and operator types that the target does not have, with
// close names: full sentences.
std::vector<std::string> UnmatchedImplModeNames(const Graph& graph, const PrecisionOptions& options,
                                                const TargetSpec& target);

// The mode of a node whose dtypes are resolved: what is asked for where `op` offers it, else the
// operator's default. kDefault where it has one implementation. A mode that the user asked for by
// name or type and that `op` does not offer is noted in `warnings`.
ImplMode ChooseImplMode(const ImplModeRequests& requests, const Node& node,
                        std::string_view ir_type, const LibraryOp& op,
                        const NodePrecision& precision, std::vector<std::string>& warnings);

}  // namespace halftone
