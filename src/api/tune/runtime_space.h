// Search on the runtime of --measure: opens the runtime, limits the space to the formats that it
// runs, and warns about points.
#pragma once

#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct Prepared;

// Sets Prepared::latency to the runtime that the options name; does nothing without one. Errors as
// OpenRuntime() (src/api/runtime/open_runtime.h); kUnsupported for several input shapes.
void OpenRuntime(const TuneCallbacks& callbacks, Prepared& prepared);

// Full sentences about points that did not run as their plans say, and about accuracy that was not
// judged on the outputs of the runtime.
std::vector<std::string> WarningsOfRuntime(const TunedFront& front);

// Tries each format on the runtime, and removes from the space those that it refuses or runs in
// float32, with a warning for each. Also removes the implementation modes and slow choices, which
// belong to halftone's kernels. Does nothing without a runtime.
void LeaveOutRefusedFormats(Prepared& prepared);

}  // namespace halftone
