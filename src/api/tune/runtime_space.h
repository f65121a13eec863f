// Search on the runtime of --measure: the part of the space that it runs, and warnings about
// points.
#pragma once

#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct Prepared;

// Sets Prepared::latency to the runtime that the options name; without one, does nothing. Error
// kUnsupported also for several input shapes.
void OpenRuntime(const TuneCallbacks& callbacks, Prepared& prepared);

// Points that did not run as their plans say, or whose accuracy is not that of the runtime's
// outputs: full sentences.
std::vector<std::string> WarningsOfRuntime(const TunedFront& front);

// Removes from the space the formats that the runtime refuses or runs in float32, with a warning
// for each.
void LeaveOutRefusedFormats(Prepared& prepared);

}  // namespace halftone
