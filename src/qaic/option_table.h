// Options of `halftone qaic-compile`: the options of the Cloud AI compiler, and a few of halftone's
// own.
#pragma once

#include <span>
#include <string>

#include "src/base/tool_options.h"

namespace halftone {

// The compiler's options in groups, then options of its model configurator, which are refused, then
// halftone's own.
const ToolTable& QaicTable();

// Errors as ParseToolOptions().
ToolCommandLine ParseQaicCommandLine(std::span<const std::string> words);

// The text of `halftone qaic-compile -h`.
std::string QaicHelp();

}  // namespace halftone
