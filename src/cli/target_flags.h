// Options for the target of a command, and its operator library on this machine.
#pragma once

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"

namespace halftone {

// Adds --soc_version with its other name --target, and --ops_info. AddModelFlags() includes them.
void AddTargetFlags(CLI::App& app, TargetOptions& target);

// Sets target.ops_info to the operator library that FindLibrary() finds, and prints its note or
// warning on standard error.
void TakeInstallation(TargetOptions& target);

// Loads the target, and prints its notes, which name its operator libraries, on standard error.
TargetSpec LoadTargetOf(const TargetOptions& options);

}  // namespace halftone
