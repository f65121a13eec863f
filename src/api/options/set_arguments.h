// The words of an option set: the typed inputs of a plan. Read from a text, a file, or
// arguments.txt of a folder.
#pragma once

#include <filesystem>
#include <string>

#include "src/api/dynamic_shapes.h"
#include "src/api/tune_callbacks.h"
#include "src/precision/files/option_table.h"

namespace halftone {

// Unchanged texts with resolved paths; empty: not in the set.
struct SetArguments {
  PrecisionArguments precision;
  TargetOptions target;
  std::string fusion_switch_file;
  DynamicShapes shapes;
};

// Words "--name=value" or "--name value" as on the command line, of the precision options,
// --soc_version, --ops_info, --fusion_switch_file, --input_shape (may be repeated) and
// --dynamic_... The dashes may be left out. Relative paths begin at `folder`. Error kUsage: other
// words, an option twice, a quote that is not closed.
SetArguments ParseSetArguments(const std::string& text, const std::filesystem::path& folder);

// arguments.txt of the folder. Errors kIo, kUsage as ParseSetArguments().
SetArguments ReadSetArguments(const std::filesystem::path& folder);

}  // namespace halftone
