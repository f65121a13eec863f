// Characters that the guide allows in the texts of its options.
#pragma once

#include <string_view>

#include "src/precision/files/option_table.h"

namespace halftone {

// Checks a path: letters, digits, '/', '_', '-', '.' and Chinese characters, for --keep_dtype also
// ':'. Error kUsage E10001 naming the first other character and its place.
void CheckOptionPath(const PrecisionOptionRow& option, std::string_view path);

// Checks all paths that are given.
void CheckOptionPaths(const PrecisionArguments& arguments);

// Checks a list of operator types. Error kUsage E10001 with the place of the first blank.
void RefuseBlanks(const OptionText& value);

}  // namespace halftone
