// A training script's settings together with the options typed beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/precision/option_table.h"
#include "src/training/script.h"

namespace halftone {

struct MergedArguments {
  PrecisionArguments arguments;
  std::vector<std::string> warnings;  // where a typed option wins over the script, full sentences
};

// What is typed wins; a typed mode of either option also wins over the script's mode of the other.
MergedArguments MergeTyped(const TrainingScript& script, const PrecisionArguments& typed);

// "; --precision_mode is from npu.yaml:3" for the options that `message` names and whose values are
// the script's; empty for others.
std::string ScriptLines(const TrainingScript& script, std::string_view path,
                        const PrecisionArguments& typed, std::string_view message);

}  // namespace halftone
