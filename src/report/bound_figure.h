// Figures of a bound, for sentences: what samples show of the quantity that the bound limits.
#pragma once

#include <string>

#include "search/trial/constraints.h"

namespace halftone {

// Figures of the quantity that `row` limits:
// - "57.5 dB [54.4 dB, 62.8 dB]": its mean, with the 95 % interval if the values of the samples are
//   known;
// - "190 of 200 samples": the samples that meet a bound on a share of the samples;
// - "unknown": the samples have no such quantity.
//
// Requires that `constraints` has the bound.
std::string BoundFigure(const BoundRow& row, const Constraints& constraints,
                        const BoundValues& values);

}  // namespace halftone
