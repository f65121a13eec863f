// Advice of the guides on options that were typed.
#pragma once

#include <string>

#include "src/precision/files/option_table.h"

namespace halftone {

// Sentence on newer options that the guides of ATC name in place of typed ones, in one line; empty:
// the typed ones are what they advise, or have no counterpart.
std::string OptionAdvice(const PrecisionArguments& typed);

}  // namespace halftone
