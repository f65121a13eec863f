// Differences of a point of the front from its faster neighbour.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// "float32 for conv1, fc; 16 bits for pool": operators that left or entered float32, at most three
// names each. Where these are equal: the differing options.
std::string DifferenceOf(const Trial& point, const Trial& faster, const Vocabulary& words);

// Per point: the difference from the previous; empty for the first.
std::vector<std::string> DifferencesAlong(const TuneSummary& summary);

}  // namespace halftone
