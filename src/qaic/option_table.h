// The options of `halftone qaic-compile`: those that the Cloud AI compiler documents, and a few of
// ours.
#pragma once

#include <span>
#include <string>

#include "src/base/tool_options.h"

namespace halftone {

// In the order of the compiler's documentation, ours last.
const ToolTable& QaicTable();

// Errors as ParseToolOptions().
ToolCommandLine ParseQaicCommandLine(std::span<const std::string> words);

// The text of `halftone qaic-compile -h`, from the table.
std::string QaicHelp();

}  // namespace halftone
