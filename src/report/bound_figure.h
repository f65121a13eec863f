// Figures of a bound: what samples show of the quantity that it limits, for sentences.
#pragma once

#include <string>

#include "search/trial/constraints.h"

namespace halftone {

// "57.5 dB [54.4 dB, 62.8 dB]" of the quantity that `row` limits, with the 95 % interval of its
// mean where the values of the samples are known; "190 of 200 samples" for a bound on a share of
// them; "unknown" where the samples have no such quantity. Requires that `constraints` has the
// bound.
std::string BoundFigure(const BoundRow& row, const Constraints& constraints,
                        const BoundValues& values);

}  // namespace halftone
