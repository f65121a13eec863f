// Inverse of the resolution: search for the smallest option set that resolves to a plan.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/target/target_spec.h"

namespace halftone {

struct WrittenConfiguration {
  PrecisionOptions options;
  // Number of options, plus number of entries in their files: 4 for a mode and a keep_dtype file of
  // two lines.
  std::size_t size = 0;
  std::vector<std::string> notes;  // full sentences about names that a format cannot express
};

// The smallest option set that gives the plan in one of `modes` (names; empty: all modes of the
// target). It consists of the mode, the fewest lines for dtypes (src/precision/write/dtype_lines.h)
// and the fewest options for implementation modes (src/precision/write/impl_mode_lines.h). Among
// equal sizes the first mode of the table wins. A keep_dtype line of a type is not used if it also
// matches a node of another type that absorbed a node of this type. The options are resolved again
// and compared with `plan` before they are returned.
//
// Formats that are no dtype become PrecisionOptions::node_formats.
//
// Error kUnsupported: no option set gives a node its part of the plan, and the text names the node.
// Its dtypes are no column of the op library, the resolver would choose another engine, the
// operator does not offer the mode, the target joins it with another node, or no format can express
// its name.
WrittenConfiguration ConfigurationFor(const Graph& graph, const PrecisionPlan& plan,
                                      const TargetSpec& target,
                                      std::span<const std::string> modes = {});

}  // namespace halftone
