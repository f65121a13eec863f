// Best promises that a number of held-out samples allows, before any point is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/constraints.h"

namespace halftone {

// Best promise of a bound on accuracy that a number of held-out samples allows: when no sample
// shows a difference to float32.
struct BestPromise {
  std::string name;  // name of the BoundRow
  double asked = 0;
  std::optional<double> share;
  // On the side of `asked`; empty where it depends on the errors alone (means of errors).
  std::optional<double> limit;
  // Fewest held-out samples that can promise `asked`; empty: no number of them can.
  std::optional<std::size_t> needed;
  bool possible = false;

  friend bool operator==(const BestPromise&, const BestPromise&) = default;
};

// One for each bound on accuracy of `constraints`.
std::vector<BestPromise> BestPromises(const Constraints& constraints, std::size_t heldout_samples,
                                      double confidence);

// True if `heldout_samples` can carry a promise of every bound on accuracy; of a front that they
// cannot carry, a point is chosen on the samples.
bool CanPromise(const Constraints& constraints, std::size_t heldout_samples, double confidence);

}  // namespace halftone
