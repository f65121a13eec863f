// Merge of the settings of a training script with the options on the command line ("typed").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/precision/files/option_table.h"
#include "src/training/script.h"

namespace halftone {

struct MergedArguments {
  PrecisionArguments arguments;
  std::vector<std::string> warnings;  // full sentences about typed options that override the script
};

// Merges the two; typed options win. A typed precision_mode or precision_mode_v2 overrides both
// options of the script.
MergedArguments MergeTyped(const TrainingScript& script, const PrecisionArguments& typed);

// Clauses to append to an error: for each option in `message` whose value comes from the script,
// the line in the script at `path`, such as "; --precision_mode is from npu.yaml:3".
std::string ScriptLines(const TrainingScript& script, std::string_view path,
                        const PrecisionArguments& typed, std::string_view message);

}  // namespace halftone
