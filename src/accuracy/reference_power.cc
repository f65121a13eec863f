#include "src/accuracy/reference_power.h"

#include <cmath>
#include <span>
#include <utility>

#include "src/accuracy/metrics.h"
#include "src/accuracy/set_apart.h"
#include "src/base/error.h"
#include "src/base/lanes.h"

namespace halftone {
namespace {

// Not finite if an element is not.
double PowerOf(std::span<const float> values) {
  Lanes power{};
  ForEachInLanes(values.size(), [&](std::size_t lane, std::size_t i) {
    const double value = values[i];
    power[lane] += value * value;
  });
  return Total(power);
}

// Not finite if an element is not.
double PowerOfDifference(std::span<const float> reference, std::span<const float> actual) {
  Lanes power{};
  ForEachInLanes(reference.size(), [&](std::size_t lane, std::size_t i) {
    const double error = static_cast<double>(actual[i]) - static_cast<double>(reference[i]);
    power[lane] += error * error;
  });
  return Total(power);
}

}  // namespace

ReferencePower::ReferencePower(Tensor reference) : reference_(std::move(reference)) {
  if (reference_.dtype() != DType::kFloat32 || std::isfinite(SetApartIn(reference_).from)) {
    return;
  }
  const double power = PowerOf(reference_.values<float>());
  if (std::isfinite(power)) {
    power_ = power;
  }
}

ErrorPower ReferencePower::Of(const Tensor& actual) const {
  Check(reference_.shape() == actual.shape(), "reference and actual have the same shape");
  if (power_ && actual.dtype() == DType::kFloat32) {
    const double error = PowerOfDifference(reference_.values<float>(), actual.values<float>());
    if (std::isfinite(error)) {
      return {.error_power = error, .reference_power = *power_};
    }
  }
  const OutputSums sums = SumsOf(reference_, actual);
  return {.error_power = sums.error_power,
          .reference_power = sums.reference_power,
          .apart =
              sums.apart.error_power == 0 ? 0 : sums.apart.error_power / sums.apart.reference_power,
          .has_apart = sums.counts.apart > 0,
          .broken = sums.broken};
}

}  // namespace halftone
