// The options of `halftone atc`: those that ATC documents. The plan of a command line is resolved
// and its configuration written; no model for a device is made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/base/tool_options.h"

namespace halftone {

// Table of ATC's options; rows that AOE has too are taken from its table.
const ToolTable& AtcTable();

// The text of `halftone atc --help`, from the table.
std::string AtcHelp();

// The command line as words of `halftone explain`, which resolves it and writes its files; --output
// names their folder. Error kUsage: E10054 where --model, --framework, --output or --soc_version is
// missing, else as ParseToolOptions() and ModelsOf().
std::vector<std::string> ExplainWordsOf(const ToolCommandLine& line);

}  // namespace halftone
