// Conversion of written options to the names of --precision_mode_v2 (--write_v2).
#pragma once

#include "src/precision/precision_options.h"

namespace halftone {

// The options with --precision_mode replaced by the same mode in --precision_mode_v2, which gives
// the same plan. Unchanged if --precision_mode is not given or its mode has no such name.
PrecisionOptions WithV2Name(PrecisionOptions options);

}  // namespace halftone
