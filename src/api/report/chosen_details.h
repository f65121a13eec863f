// The chosen point looked at from the inside: sample by sample and node by node.
#pragma once

#include "src/api/report/report_details.h"

namespace halftone {

// Runs the plan and float32 on every sample, then on the worst one and a few others with a look at
// every result, then both with a clock between steps. Errors as ResolvePrecision() and Compile().
ChosenDetails DetailsOf(const ReportSources& sources, const Trial& trial);

}  // namespace halftone
