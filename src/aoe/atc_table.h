// Options of `halftone atc`, which are those that ATC documents. The command resolves the plan of a
// command line of ATC and writes its option set; it makes no model for a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/base/tool_options.h"

namespace halftone {

// Table of ATC's options. Options that AOE also has are rows of AoeTable().
const ToolTable& AtcTable();

// Text of `halftone atc --help`, made from the table.
std::string AtcHelp();

// Converts the command line to words of `halftone explain`, which resolves the plan and writes the
// option set into the folder of --output. Errors: kUsage E10054 if --model, --framework, --output
// or --soc_version is missing; those of ModelsOf().
std::vector<std::string> ExplainWordsOf(const ToolCommandLine& line);

}  // namespace halftone
