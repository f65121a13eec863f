// Settings of a training script in Python, as the tree that a YAML file of them gives. A reader of
// calls, assignments and literals: nothing is executed, and line breaks may be lost.
#pragma once

#include <string_view>

#include "src/training/settings_tree.h"

namespace halftone {

// True if the file is Python: by its name, "train.py", or because it calls NPURunConfig() or
// assigns to parameter_map["..."] or global_options().
bool IsPythonScript(std::string_view text, std::string_view where);

// Members NPURunConfig, parameter_map, global_options and rewrite_options, as far as the script
// sets them, with the parameters of AllParameters() and names that are close to one; others are
// left out. Error kUsage with file and line: a parameter of precision that is no literal, or that
// is set to several values; none of the forms; more than kMostSettingsBytes.
SettingsNode ParsePythonScript(std::string_view text, std::string_view where);

}  // namespace halftone
