// Reader of the settings in a Python training script. It finds calls and assignments with literals
// and executes nothing. It also reads copies of scripts that have lost their line breaks. The
// result is the tree that a YAML file with the same settings gives.
#pragma once

#include <string_view>

#include "src/training/settings_tree.h"

namespace halftone {

// True if the file named `where` is Python: its name ends in ".py", or its text calls
// NPURunConfig() or assigns to parameter_map["..."] or global_options().
bool IsPythonScript(std::string_view text, std::string_view where);

// Reads the settings of the script named `where`. The root has the members NPURunConfig,
// parameter_map, global_options and rewrite_options, if the script sets them. They have the
// parameters of AllParameters(), and parameters with similar names, which may be misspelt. Error
// kUsage with file and line: a parameter of precision is no literal or is set to several values,
// the script has none of the three forms, or more than kMostSettingsBytes.
SettingsNode ParsePythonScript(std::string_view text, std::string_view where);

}  // namespace halftone
