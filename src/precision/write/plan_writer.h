// Inverse of the resolution: the smallest option set that resolves to a plan.
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
  // Options given and entries in their files: a mode with a keep_dtype file of two lines is 4.
  std::size_t size = 0;
  // Names that a format cannot express, and their replacements: full sentences.
  std::vector<std::string> notes;
};

// The size is the least over `modes` (names; empty: all of the target), each with its fewest lines
// (src/precision/write/dtype_lines) and implementation-mode options
// (src/precision/write/impl_mode_lines); ties go to the first mode of the table. The result is
// resolved and compared with `plan` before it is returned. A type line is not used where it would
// also match a node of another type that absorbed a node of this type.
//
// Formats that are no dtype become PrecisionOptions::node_formats, which no file contains.
//
// Error kUnsupported naming a node whose plan no option set gives: dtypes that are no column of the
// op library, an engine that the resolver would not choose, a mode that the operator does not
// offer, a name that no format can express.
WrittenConfiguration ConfigurationFor(const Graph& graph, const PrecisionPlan& plan,
                                      const TargetSpec& target,
                                      std::span<const std::string> modes = {});

}  // namespace halftone
