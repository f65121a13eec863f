// The same comparison made several times with buffers at other addresses, as one result.
//
// Where the buffers of two executables lie makes one of them up to a few percent faster, for as
// long as they live: rounds within one placement agree with each other and not with the next
// placement. An interval from the rounds of one placement is therefore too narrow (identical plans
// came out 1.1 % apart with an interval of +-0.5 %; development machine, 2026-11-21).
#pragma once

#include <span>

#include "search/trial/trial.h"

namespace halftone {

// How many placements Confirm() measures. Each costs a compilation and a warm-up, so those that
// take long have fewer; of still fewer Student's t is so large that nothing would be told apart
// (12.7 for 2, 4.3 for 3, 3.2 for 4; 2.2 for 12). Eight found a planted 1.9 % in 88 % of 200 trials
// (halftone_aa, development machine, 2026-11-22).
inline constexpr int kPlacements = 12;
inline constexpr int kSlowPlacements = 4;

// The ratio is the median of all rounds. The interval is the wider, on each side, of the 95 %
// interval of the median over all rounds and the 95 % Student interval of the mean of the
// placements' medians (2 to 12 of them). The second is looked at once, however often the rounds of
// a placement were, so it needs no correction. Requires at least one placement with samples.
Latency PoolPlacements(std::span<const Latency> placements);

}  // namespace halftone
