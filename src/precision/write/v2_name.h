// Written options under the names of --precision_mode_v2 (--write_v2).
#pragma once

#include "src/precision/precision_options.h"

namespace halftone {

// The same options with the mode under its name of --precision_mode_v2; unchanged where the mode
// has none, or where --precision_mode does not give it. The plan is the same.
PrecisionOptions WithV2Name(PrecisionOptions options);

}  // namespace halftone
