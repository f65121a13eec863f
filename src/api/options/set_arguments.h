// Arguments of an option set: all options on which a plan depends, read from a text or from
// arguments.txt of a folder.
#pragma once

#include <filesystem>
#include <string>

#include "src/api/dynamic_shapes.h"
#include "src/api/tune_callbacks.h"
#include "src/precision/files/option_table.h"

namespace halftone {

// Values as written, except that relative paths are resolved; empty: not in the set.
struct SetArguments {
  PrecisionArguments precision;
  TargetOptions target;
  std::string fusion_switch_file;
  DynamicShapes shapes;
};

// Parses words "--name=value" or "--name value" in shell quotes. The dashes may be left out. Takes
// the precision options, --soc_version, --ops_info, --fusion_switch_file, --dynamic_... and
// --input_shape, which may be repeated. Relative paths are resolved against `folder`. Error kUsage
// for another word, an option given twice, or an unclosed quote.
SetArguments ParseSetArguments(const std::string& text, const std::filesystem::path& folder);

// Reads arguments.txt of the folder. Errors: kIo; as ParseSetArguments().
SetArguments ReadSetArguments(const std::filesystem::path& folder);

}  // namespace halftone
