// Ends the timing of candidates that are out anyway: most of a search's seconds go to latencies,
// and most candidates are far behind something that is known.
#pragma once

#include <span>

#include "search/trial/trial.h"

namespace halftone {

// The measured trials that a candidate races against. Refers to `trials`, which must outlive it.
class RacingBounds {
 public:
  RacingBounds() = default;

  explicit RacingBounds(std::span<const Trial> trials) : trials_(trials) {}

  // A candidate of this loss whose latency interval lies above this ratio is dominated with 95 %
  // confidence: a trial that is no less accurate has its whole interval below. Infinite: no trial
  // is. (Two independent intervals of 95 % that lie apart contradict equality in fewer than 1 % of
  // cases: their half-widths add up where standard errors add up in squares.)
  [[nodiscard]] double RatioToBeat(double loss) const;

 private:
  std::span<const Trial> trials_;
};

}  // namespace halftone
