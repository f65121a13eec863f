// Best promises that a given number of held-out samples allows, whatever point is chosen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/constraints.h"

namespace halftone {

// Best promise of a bound on accuracy: the promise that holds if no held-out sample differs from
// float32.
struct BestPromise {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;  // share of the samples, for a bound on each sample
  // Confidence limit on the side of `asked`; empty for a bound on each sample, and for a mean of
  // errors, whose limit depends on the errors alone.
  std::optional<double> limit;
  // Fewest held-out samples that can promise `asked`; empty if no number of samples can.
  std::optional<std::size_t> needed;
  bool possible = false;

  friend bool operator==(const BestPromise&, const BestPromise&) = default;
};

// Best promise of each bound on accuracy in `constraints`.
std::vector<BestPromise> BestPromises(const Constraints& constraints, std::size_t heldout_samples,
                                      double confidence);

// True if `heldout_samples` suffice to promise every bound on accuracy. If not, the chosen point
// only has to meet the bounds on the samples.
bool CanPromise(const Constraints& constraints, std::size_t heldout_samples, double confidence);

}  // namespace halftone
