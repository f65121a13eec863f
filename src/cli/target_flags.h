// The target of a command: its options, and the operator library that it has on this machine.
#pragma once

#include "src/api/halftone.h"

namespace CLI {
class App;
}

namespace halftone {

// --soc_version with its other name --target, --ops_info; part of AddModelFlags().
void AddTargetFlags(CLI::App& app, TargetOptions& target);

// Takes the operator library that FindLibrary() finds; one line on stderr says which.
void TakeInstallation(TargetOptions& target);

// Loads the target; "note: ..." lines on stderr name the origin of the op libraries.
TargetSpec LoadTargetOf(const TargetOptions& options);

}  // namespace halftone
