// Choice of the implementation mode of a node: the mode that the options request, if the target
// offers it. It depends on the dtypes of the node only because a target may offer a mode for some
// dtypes only.
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

// The checked options on implementation modes. An operator that they do not name gets its default
// mode.
struct ImplModeRequests {
  const PrecisionOptions* options;
  // Table of --op_select_implmode. Empty: not given, or ignored because of --op_precision_mode.
  std::optional<BuiltinImplModes> select;
  // Types of --optypelist_for_implmode. If there are any, `select` holds for these only and gives
  // all of them the same mode: high_precision or high_performance.
  std::set<std::string, std::less<>> listed_types;
  // Value of --allow_hf32. Empty: not given, or the target has no HF32.
  std::optional<AllowHf32> hf32;
  // Tables of an installation, which replace built-in tables of the same names; null: none.
  const ImplModeFiles* files = nullptr;
};

// Checks the options and appends full sentences about ignored ones to `warnings`. Error kUsage
// E10001: an unknown value of --op_select_implmode, a type list without --op_select_implmode, or
// the mode `default` in impl_mode_by_node or impl_mode_by_type. Errors also as ParseAllowHf32().
// The result points into `options` and `target`.
ImplModeRequests CheckImplModeOptions(const PrecisionOptions& options, const TargetSpec& target,
                                      std::vector<std::string>& warnings);

// Full sentences about names of [ByNodeName] that no node has, and about operator types that the
// target does not have, with similar names.
std::vector<std::string> UnmatchedImplModeNames(const Graph& graph, const PrecisionOptions& options,
                                                const TargetSpec& target);

// The mode of a node whose dtypes are resolved. It is kDefault if `op` has one implementation for
// its dtype, else the requested mode if `op` offers it, else the default. The default is the mode
// in high_performance.ini if `op` offers that, else the first mode of `op`. Appends a sentence to
// `warnings` if the user requested a mode for this node or type that `op` does not offer.
ImplMode ChooseImplMode(const ImplModeRequests& requests, const Node& node,
                        std::string_view ir_type, const LibraryOp& op,
                        const NodePrecision& precision, std::vector<std::string>& warnings);

}  // namespace halftone
