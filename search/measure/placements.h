// Pooled result of a comparison that was repeated with buffers at other addresses.
//
// The addresses of the buffers make one of two executables up to a few percent faster for as long
// as the buffers live. Rounds within one placement of buffers agree with each other, but not with
// those of the next placement. An interval from the rounds of one placement is therefore too narrow
// (identical plans came out 1.1 % apart with an interval of +-0.5 %; development machine,
// 2026-11-21).
#pragma once

#include <span>

#include "search/trial/trial.h"

namespace halftone {

// Number of placements that Confirm() measures. Each costs a compilation and a warm-up, so slow
// networks have fewer. With fewer than kSlowPlacements, Student's t is too large to distinguish
// anything but large effects (12.7 for 2 placements, 4.3 for 3, 3.2 for 4; 2.2 for 12), so that a
// short time alone allows kFewestPlacements: two that differ by 1 % give an interval of 6 %. Eight
// placements found a planted 1.9 % in 88 % of 200 trials (halftone_aa, development machine,
// 2026-11-22).
inline constexpr int kPlacements = 12;
inline constexpr int kSlowPlacements = 4;
inline constexpr int kFewestPlacements = 2;

// Pools the latencies of 2 to 12 placements. The ratio is the median of all rounds. On each side,
// the interval ends at the wider of two intervals of 95 %: that of the median over all rounds, and
// the Student interval of the mean of the placements' ratios, computed on logarithms. The second is
// computed once, whatever the number of looks within a placement, so it needs no correction.
// Requires at least one placement with samples.
Latency PoolPlacements(std::span<const Latency> placements);

}  // namespace halftone
