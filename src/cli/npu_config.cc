#include "src/cli/npu_config.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/cli/point_option.h"
#include "src/cli/shared_options.h"
#include "src/training/merge.h"
#include "src/training/settings_tree.h"

namespace halftone {

void AddNpuConfigFlag(CLI::App& app, std::string& path, const std::string& use) {
  app.add_option("--npu_config", path,
                 fmt::format("Training script in Python, or its settings in YAML or JSON "
                             "(docs/guide/training.md): {}",
                             use));
}

TrainingScript ReadTrainingScript(const std::string& path) {
  TrainingScript script;
  try {
    script = ParseTrainingScript(ReadSmallFile(path, kMostSettingsBytes), path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kIo) {
      throw;
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: {}={}: {}", kNpuConfig, path, error.what()));
  }
  PrintNotes(script.notes);
  PrintWarnings(script.warnings);
  return script;
}

LoadedPrecision LoadWithScript(const TrainingScript& script, const std::string& path,
                               const PrecisionArguments& typed, const TargetSpec& target) {
  const MergedArguments merged = MergeTyped(script, typed);
  PrintWarnings(merged.warnings);
  try {
    LoadedPrecision loaded = LoadPrecision(merged.arguments, target);
    PrintAdvice(typed);
    return loaded;
  } catch (const Error& error) {
    throw Error(error.kind(), error.what() + ScriptLines(script, path, typed, error.what()));
  }
}

}  // namespace halftone
