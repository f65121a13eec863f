// Analysis of one point by sample and by node.
#pragma once

#include "src/api/report/report_details.h"

namespace halftone {

// Analyses the point in three parts, each of which runs both its plan and float32:
//
//   all samples                          finds the worst ones
//   the worst sample and three others    compares the result of every node
//   timed runs                           gives the time of each step
//
// Parts for which sources.seconds_left() is too short are listed in ChosenDetails::left_out. Errors
// as ResolvePrecision() and Compile().
ChosenDetails DetailsOf(const ReportSources& sources, const FrontPoint& point);

}  // namespace halftone
