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

// Options of the script at `path`, those of the command line in their place; warnings of the merge
// go to stderr. Errors say which line of the script they are of.
LoadedPrecision LoadWithScript(const TrainingScript& script, const std::string& path,
                               const PrecisionArguments& typed, const TargetSpec& target);

}  // namespace halftone
