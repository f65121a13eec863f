// Advice to use newer options in place of those that the user typed.
#pragma once

#include <string>

#include "src/precision/files/option_table.h"

namespace halftone {

// Returns one line that names the options which the guides of ATC recommend in place of typed ones.
// Empty: no typed option has such a replacement.
std::string OptionAdvice(const PrecisionArguments& typed);

}  // namespace halftone
