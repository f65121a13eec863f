// Analysis of one point, sample by sample and node by node.
#pragma once

#include "src/api/report/report_details.h"

namespace halftone {

// Runs the plan and float32 on every sample; then on the worst sample and a few others, comparing
// every result; then both with a clock between steps. Does as much of this as sources.seconds_left
// allows. Errors as ResolvePrecision() and Compile().
ChosenDetails DetailsOf(const ReportSources& sources, const FrontPoint& point);

}  // namespace halftone
