// The precision options of one configuration: what a user could have typed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/ir/impl_mode.h"

namespace halftone {

// A regular value. Empty texts and containers mean "not given". See docs/precision.md.
struct PrecisionOptions {
  std::string precision_mode;     // --precision_mode; a name in the table of modes
  std::string precision_mode_v2;  // --precision_mode_v2; excludes precision_mode
  // --keep_dtype: lines of the file, "OpType::<IR type>" or a node name. Sorted, without
  // duplicates.
  std::vector<std::string> keep_dtype;
  // --op_precision_mode: sections [ByNodeName] and [ByOpType] of the ini file. `op_precision_given`
  // is true also for an empty file: its presence switches the built-in file off.
  bool op_precision_given = false;
  std::map<std::string, ImplMode> impl_mode_by_node;
  std::map<std::string, ImplMode> impl_mode_by_type;
  std::string op_select_implmode;                    // --op_select_implmode
  std::vector<std::string> optypelist_for_implmode;  // --optypelist_for_implmode

  friend bool operator==(const PrecisionOptions&, const PrecisionOptions&) = default;
};

}  // namespace halftone
