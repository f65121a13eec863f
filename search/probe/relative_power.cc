#include "search/probe/relative_power.h"

#include <algorithm>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metrics.h"

namespace halftone {

double ShareChanged(std::span<const Tensor> reference, std::span<const Tensor> actual) {
  double changed = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!IsFloating(reference[i].dtype())) {
      changed = std::max(changed, 1 - ShareOfEqual(reference[i], actual[i]));
    }
  }
  return changed;
}

std::optional<double> RelativePower(std::span<const Tensor> reference,
                                    std::span<const Tensor> actual) {
  double error = 0;
  double power = 0;
  double apart = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (!IsFloating(reference[i].dtype())) {
      continue;
    }
    const OutputSums sums = SumsOf(reference[i], actual[i]);
    if (sums.broken) {
      return std::nullopt;
    }
    error += sums.error_power;
    power += sums.reference_power;
    if (sums.apart.error_power > 0) {
      apart = std::max(apart, sums.apart.error_power / sums.apart.reference_power);
    }
  }
  const double others = error > 0 ? std::min(error / power, kMostRelativePower) : 0.0;
  const double changed = ShareChanged(reference, actual);
  return std::max(apart, others) + changed * changed;
}

}  // namespace halftone
