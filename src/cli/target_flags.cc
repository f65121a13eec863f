#include "src/cli/target_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/base/error.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {

void AddTargetFlags(CLI::App& app, TargetOptions& target) {
  const CLI::Option* const soc_version = app.add_option(
      "--soc_version", target.soc_version,
      "Target: host (default), the CPU it runs on; an Ascend SoC such as Ascend310P3 or "
      "Ascend910B1 (an unknown name lists them all); cloud_ai_100; or a target file, "
      "my_target.ini");
  // Callbacks run in the order of the options.
  app.add_option_function<std::string>(
         "--target",
         [&target, soc_version](const std::string& name) {
           if (soc_version->count() > 0 && target.soc_version != name) {
             throw Error(ErrorKind::kUsage,
                         fmt::format("--target={} is another name of --soc_version, which is {}: "
                                     "give one of them",
                                     name, target.soc_version));
           }
           target.soc_version = name;
         },
         "The same as --soc_version")
      ->type_name("TEXT");
  app.add_option("--ops_info", target.ops_info,
                 "Operator library of an Ascend installation in place of the built-in one: an "
                 "aic-<soc>-ops-info.json, or a folder above several; builtin: the built-in one; "
                 "default: that of the installation that ASCEND_OPP_PATH, ASCEND_TOOLKIT_HOME or "
                 "ASCEND_HOME_PATH names (docs/reference/targets.md)");
}

void TakeInstallation(TargetOptions& target) {
  const FoundLibrary found = FindLibrary(target);
  if (!found.note.empty()) {
    PrintNote(found.note);
  }
  if (!found.warning.empty()) {
    PrintWarning(found.warning);
  }
  target.ops_info = found.ops_info;
}

TargetSpec LoadTargetOf(const TargetOptions& options) {
  TargetSpec target = LoadTarget(options);
  PrintNotes(target.notes);
  return target;
}

}  // namespace halftone
