#include "search/trial/best_promise.h"

#include <algorithm>

#include "src/base/confidence.h"

namespace halftone {

std::vector<BestPromise> BestPromises(const Constraints& constraints, std::size_t heldout_samples,
                                      double confidence) {
  std::vector<BestPromise> promises;
  for (const BoundRow& row : AllBounds()) {
    const auto& asked = constraints.*row.value;
    if (!asked || row.metric.empty()) {
      continue;
    }
    BestPromise promise{.name = std::string(row.name), .asked = *asked};
    promise.share = row.ShareIn(constraints);
    // Largest share of samples that may differ from float32; empty for a mean of errors, where all
    // may.
    std::optional<double> differ;
    if (promise.share) {
      differ = 1 - *promise.share;
    } else if (row.value == &Constraints::max_top1_drop) {
      differ = *asked;
      promise.limit = UpperLimitOfShare(0, heldout_samples, confidence);
    } else if (row.value == &Constraints::min_agreement) {
      differ = 1 - *asked;
      promise.limit = 1 - UpperLimitOfShare(0, heldout_samples, confidence);
    }
    if (!differ) {
      promise.needed = kFewestEqualValues;
    } else if (*differ > 0) {
      promise.needed = *differ < 1 ? TrialsForShare(*differ, confidence) : 1;
    }
    promise.possible = promise.needed && heldout_samples >= *promise.needed;
    promises.push_back(promise);
  }
  return promises;
}

bool CanPromise(const Constraints& constraints, std::size_t heldout_samples, double confidence) {
  return std::ranges::all_of(BestPromises(constraints, heldout_samples, confidence),
                             &BestPromise::possible);
}

}  // namespace halftone
