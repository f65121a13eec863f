// Best promises that a number of held-out samples allows; they are known before any point is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/constraints.h"

namespace halftone {

// Best promise of a bound on accuracy: the one that holds if no held-out sample differs from
// float32.
struct BestPromise {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;
  // Confidence limit on the side of `asked`; empty for means of errors, whose limit depends on the
  // errors alone.
  std::optional<double> limit;
  // Fewest held-out samples that can promise `asked`; empty: no number can.
  std::optional<std::size_t> needed;
  bool possible = false;

  friend bool operator==(const BestPromise&, const BestPromise&) = default;
};

// One for each bound on accuracy of `constraints`.
std::vector<BestPromise> BestPromises(const Constraints& constraints, std::size_t heldout_samples,
                                      double confidence);

// True if `heldout_samples` suffice to promise every bound on accuracy. If not, the chosen point
// must only meet the bounds on the samples.
bool CanPromise(const Constraints& constraints, std::size_t heldout_samples, double confidence);

}  // namespace halftone
