// Merge of a training script's settings with the options typed beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/precision/files/option_table.h"
#include "src/training/script.h"

namespace halftone {

struct MergedArguments {
  PrecisionArguments arguments;
  std::vector<std::string> warnings;  // typed options that override the script, full sentences
};

// Typed options win; a typed mode of either option also overrides the script's mode of the other.
MergedArguments MergeTyped(const TrainingScript& script, const PrecisionArguments& typed);

// Source lines of script options in `message`, "; --precision_mode is from npu.yaml:3"; empty where
// `message` names no option whose value is the script's.
std::string ScriptLines(const TrainingScript& script, std::string_view path,
                        const PrecisionArguments& typed, std::string_view message);

}  // namespace halftone
