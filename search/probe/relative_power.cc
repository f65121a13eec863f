#include "search/probe/relative_power.h"

#include <algorithm>
#include <utility>

#include "src/accuracy/discrete_outputs.h"

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

RelativePowers::RelativePowers(std::vector<Tensor> reference) : reference_(std::move(reference)) {
  for (const Tensor& tensor : reference_) {
    std::optional<ReferencePower>& power = powers_.emplace_back();
    if (IsFloating(tensor.dtype())) {
      power.emplace(tensor);
    }
  }
}

std::optional<double> RelativePowers::Of(std::span<const Tensor> actual) const {
  double error = 0;
  double power = 0;
  double apart = 0;
  for (std::size_t i = 0; i < powers_.size(); ++i) {
    if (!powers_[i]) {
      continue;
    }
    const ErrorPower of_tensor = powers_[i]->Of(actual[i]);
    if (of_tensor.broken) {
      return std::nullopt;
    }
    error += of_tensor.error_power;
    power += of_tensor.reference_power;
    apart = std::max(apart, of_tensor.apart);
  }
  const double others = error > 0 ? std::min(error / power, kMostRelativePower) : 0.0;
  const double changed = ShareChanged(reference_, actual);
  return std::max(apart, others) + changed * changed;
}

std::optional<double> RelativePower(std::span<const Tensor> reference,
                                    std::span<const Tensor> actual) {
  return RelativePowers({reference.begin(), reference.end()}).Of(actual);
}

}  // namespace halftone
