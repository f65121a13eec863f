// What a point of the front does otherwise than its faster neighbour.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// "float32 for conv1, fc; 16 bits for pool": operators that left or entered float32, at most three
// names each. Where these are the same operators: what the options have otherwise.
std::string DifferenceOf(const Trial& point, const Trial& faster);

// By point: the difference from the one before; empty for the first.
std::vector<std::string> DifferencesAlong(const TuneSummary& summary);

}  // namespace halftone
