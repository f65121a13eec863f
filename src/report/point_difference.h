// Differences of a point of the front from its faster neighbour.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// "float32 for conv1, fc; 16 bits for pool": operators that `point` computes in float32 and
// `faster` does not, then the reverse, with at most three names in each list. If there are none:
// the options that differ.
std::string DifferenceOf(const Trial& point, const Trial& faster, const Vocabulary& words);

// Difference of each point of the front from the point before it; empty for the first point.
std::vector<std::string> DifferencesAlong(const TuneSummary& summary);

}  // namespace halftone
