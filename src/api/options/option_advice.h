// Advice of the guides on options that were typed.
#pragma once

#include <string>

#include "src/precision/files/option_table.h"

namespace halftone {

// One line on the newer options that the guides of ATC recommend in place of typed ones. Empty: the
// typed ones are recommended, or have no counterpart.
std::string OptionAdvice(const PrecisionArguments& typed);

}  // namespace halftone
