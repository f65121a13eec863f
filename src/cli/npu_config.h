// Precision options from a training script, or from its settings in YAML or JSON
// (--npu_config=FILE).
#pragma once

#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"
#include "src/training/script.h"

namespace halftone {

inline constexpr std::string_view kNpuConfig = "--npu_config";

// Adds the option. `use`: text for the help that says what the command does with it.
void AddNpuConfigFlag(CLI::App& app, std::string& path, const std::string& use);

// Reads the file and prints its notes and warnings on standard error. Errors: kUsage E10001 for an
// unreadable file; as ParseTrainingScript().
TrainingScript ReadTrainingScript(const std::string& path);

// Loads the options of the script, which was read from `path`; typed options override them. Prints
// warnings of the merge on standard error. Errors as LoadPrecision(), with the line of the script
// that causes them.
LoadedPrecision LoadWithScript(const TrainingScript& script, const std::string& path,
                               const PrecisionArguments& typed, const TargetSpec& target);

}  // namespace halftone
