// The characters that the guide allows in the texts of its options.
#pragma once

#include <string_view>

#include "src/precision/files/option_table.h"

namespace halftone {

// Paths of files hold letters, digits, '/', '_', '-', '.' and Chinese characters, that of
// --keep_dtype ':' too. Error kUsage E10001 naming the first other character and its place.
void CheckOptionPath(const PrecisionOptionRow& option, std::string_view path);

// All that are given.
void CheckOptionPaths(const PrecisionArguments& arguments);

// A list of operator types holds no blanks. Error kUsage E10001 with the place of the first.
void RefuseBlanks(const OptionText& value);

}  // namespace halftone
