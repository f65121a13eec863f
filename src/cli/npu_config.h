// --npu_config=FILE: precision options from a training script, or from its settings in YAML or
// JSON.
#pragma once

#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/training/script.h"

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

inline constexpr std::string_view kNpuConfig = "--npu_config";

// `use`: what the command does with the options.
void AddNpuConfigFlag(CLI::App& app, std::string& path, const std::string& use);

// Reads the file; its notes and warnings go to stderr. Error kUsage E10001 for an unreadable file,
// and as ParseTrainingScript().
TrainingScript ReadTrainingScript(const std::string& path);

// Options of the script at `path`, replaced by those of the command line; warnings of the merge go
// to stderr. Errors name the line of the script that they come from.
LoadedPrecision LoadWithScript(const TrainingScript& script, const std::string& path,
                               const PrecisionArguments& typed, const TargetSpec& target);

}  // namespace halftone
