// Checks of the characters that Ascend's guide allows in the texts of options.
#pragma once

#include <string_view>

#include "src/precision/files/option_table.h"

namespace halftone {

// Checks a path. Legal are letters, digits, '/', '_', '-', '.' and Chinese characters, for
// --keep_dtype also ':'. Error kUsage E10001 names the first other character and its position.
void CheckOptionPath(const PrecisionOptionRow& option, std::string_view path);

// Checks the paths of all options that take a file. Errors as CheckOptionPath().
void CheckOptionPaths(const PrecisionArguments& arguments);

// Checks that a list of operator types has no blank. Error kUsage E10001 names the position of the
// first one.
void RefuseBlanks(const OptionText& value);

}  // namespace halftone
