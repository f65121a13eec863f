// Implementation modes: the one that is requested for a node and the one that it gets. Independent
// of dtype selection except in the last step: a target may offer several implementations for one
// dtype only.
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

// The checked options. Operators that none of them names have their default mode.
struct ImplModeRequests {
  const PrecisionOptions* options;
  // Table of --op_select_implmode. Empty: not given, or ignored beside an op_precision_mode file.
  std::optional<BuiltinImplModes> select;
  // --optypelist_for_implmode: only these types, all with the plain mode of `select`.
  std::set<std::string, std::less<>> listed_types;
  // --allow_hf32, where it is given and the target has it.
  std::optional<AllowHf32> hf32;
  // Tables of an installation, in place of the built-in ones of the same names.
  const ImplModeFiles* files = nullptr;
};

// Checks the options. Error kUsage E10001: an unknown --op_select_implmode, a type list without it,
// or a mode `default` in the maps. Ignored options are noted in `warnings`.
ImplModeRequests CheckImplModeOptions(const PrecisionOptions& options, const TargetSpec& target,
                                      std::vector<std::string>& warnings);

// Full sentences on names of [ByNodeName] without a node and operator types that the target lacks,
// with close names.
std::vector<std::string> UnmatchedImplModeNames(const Graph& graph, const PrecisionOptions& options,
                                                const TargetSpec& target);

// The mode of a node whose dtypes are resolved: the requested one where `op` offers it, else the
// default. The default is the line of high_performance.ini where `op` offers that mode, else the
// first mode of `op`; kDefault where `op` has one implementation. A mode that the user requested by
// name or type and that `op` does not offer is noted in `warnings`.
ImplMode ChooseImplMode(const ImplModeRequests& requests, const Node& node,
                        std::string_view ir_type, const LibraryOp& op,
                        const NodePrecision& precision, std::vector<std::string>& warnings);

}  // namespace halftone
