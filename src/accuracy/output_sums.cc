// Sums behind the error metrics. Outputs may have millions of elements and every candidate is
// judged on every sample, so the usual case (float32, all finite) is one pass without branches.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/accuracy/metrics.h"
#include "src/accuracy/set_apart.h"
#include "src/base/error.h"
#include "src/base/lanes.h"

namespace halftone {
namespace {

// Squares of larger magnitudes in double may be infinite.
constexpr double kLargestSquared = 0x1p500;

// Factor that makes sums of squares of magnitudes up to `largest` finite.
double UnitFor(double largest) {
  return largest < kLargestSquared ? 1 : std::ldexp(1.0, -std::ilogb(largest));
}

// True: a target that saturates made `got` of `want`, which is infinite or set apart.
bool IsSaturated(double want, double got) {
  return IsLargestOfADtype(got) && std::signbit(want) == std::signbit(got) &&
         std::fabs(got) < std::fabs(want);
}

// Sums by lane (src/base/lanes.h).
struct LaneSums {
  void Add(std::size_t lane, double want, double got) {
    const double error = got - want;
    reference_power[lane] += want * want;
    actual_power[lane] += got * got;
    product[lane] += want * got;
    error_power[lane] += error * error;
    const double magnitude = std::fabs(error);
    largest_error[lane] = magnitude > largest_error[lane] ? magnitude : largest_error[lane];
  }

  void AddTo(PowerSums& sums) const {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums.reference_power += reference_power[lane];
      sums.actual_power += actual_power[lane];
      sums.product += product[lane];
      sums.error_power += error_power[lane];
    }
  }

  Lanes reference_power{};
  Lanes actual_power{};
  Lanes product{};
  Lanes error_power{};
  Lanes largest_error{};
};

// Element by element, any dtype, any value.
OutputSums SumsWithCare(const Tensor& reference, const Tensor& actual, const SetApart& apart) {
  OutputSums sums;
  LaneSums lanes;
  const double apart_unit = UnitFor(apart.largest);
  const double unit = apart.from < kLargestSquared ? 1 : apart_unit;
  for (std::int64_t i = 0; i < reference.ElementCount(); ++i) {
    const double want = DoubleAt(reference.dtype(), reference.data(), i);
    const double got = DoubleAt(actual.dtype(), actual.data(), i);
    const bool same = (want == got && std::signbit(want) == std::signbit(got)) ||
                      (std::isnan(want) && std::isnan(got));
    sums.differs = sums.differs || !same;
    if (!std::isfinite(want) || !std::isfinite(got)) {
      const bool saturated = std::isinf(want) && IsSaturated(want, got);
      sums.counts.saturated += saturated ? 1 : 0;
      sums.broken = sums.broken || !(same || saturated);
      continue;
    }
    ++sums.counts.compared;
    if (!apart.Holds(want)) {
      lanes.Add(static_cast<std::size_t>(i) % kLanes, want * unit, got * unit);
      sums.max_abs_error = std::max(sums.max_abs_error, std::abs(got - want));
      continue;
    }
    ++sums.counts.apart;
    if (std::fabs(want) > std::fabs(sums.counts.apart_value)) {
      sums.counts.apart_value = want;
    }
    if (IsSaturated(want, got)) {
      ++sums.counts.apart_saturated;
      continue;
    }
    sums.counts.apart_changed += same ? 0 : 1;
    if (!apart.IsNear(got)) {  // an ordinary number now: an error among these
      sums.error_power += (got - want) * unit * (got - want) * unit;
      sums.max_abs_error = std::max(sums.max_abs_error, std::abs(got - want));
      continue;
    }
    sums.apart.Add(want * apart_unit, got * apart_unit);
  }
  lanes.AddTo(sums);
  return sums;
}

// Sums that are not finite when an element is not.
OutputSums SumsOfFloats(std::span<const float> reference, std::span<const float> actual) {
  LaneSums lanes;
  ForEachInLanes(reference.size(), [&](std::size_t lane, std::size_t i) {
    lanes.Add(lane, reference[i], actual[i]);
  });
  OutputSums sums;
  lanes.AddTo(sums);
  sums.max_abs_error = *std::ranges::max_element(lanes.largest_error);
  sums.counts.compared = static_cast<std::int64_t>(reference.size());
  return sums;
}

// False: every magnitude is below those of sentinels, or not comparable.
bool MayBeApart(std::span<const float> reference) {
  const Eigen::Map<const Eigen::ArrayXf> values(reference.data(),
                                                static_cast<Eigen::Index>(reference.size()));
  return values.abs().maxCoeff() >= std::ldexp(1.0F, kLeastBinade);
}

}  // namespace

void PowerSums::Add(double want, double got) {
  const double error = got - want;
  reference_power += want * want;
  actual_power += got * got;
  product += want * got;
  error_power += error * error;
}

OutputSums SumsOf(const Tensor& reference, const Tensor& actual) {
  Check(reference.shape() == actual.shape(), "reference and actual outputs have the same shape");
  const bool floats = reference.dtype() == DType::kFloat32 && actual.dtype() == DType::kFloat32;
  OutputSums sums;
  if (floats && reference.ElementCount() > 0 && !MayBeApart(reference.values<float>())) {
    sums = SumsOfFloats(reference.values<float>(), actual.values<float>());
    if (std::isfinite(sums.reference_power) && std::isfinite(sums.actual_power)) {
      sums.differs = std::memcmp(reference.data(), actual.data(), reference.size_bytes()) != 0;
      sums.counts.elements = reference.ElementCount();
      sums.counts.samples = 1;
      return sums;
    }
  }
  sums = SumsWithCare(reference, actual, SetApartIn(reference));
  sums.counts.elements = reference.ElementCount();
  sums.counts.samples = 1;
  return sums;
}

std::optional<double> RelativeErrorPower(const OutputSums& sums) {
  const double apart =
      sums.apart.error_power == 0 ? 0 : sums.apart.error_power / sums.apart.reference_power;
  if (sums.error_power == 0) {
    return apart;
  }
  return sums.reference_power == 0
             ? std::nullopt
             : std::optional(std::max(apart, sums.error_power / sums.reference_power));
}

SampleView::SampleView(const SampleOutputs& sample) : outputs(sample) {
  Check(sample.reference.size() == sample.actual.size(),
        "reference and configuration have the same outputs");
  for (std::size_t i = 0; i < sample.reference.size(); ++i) {
    const std::int64_t elements = sample.reference[i].ElementCount();
    if (IsFloating(sample.reference[i].dtype())) {
      sums.push_back(SumsOf(sample.reference[i], sample.actual[i]));
      counts.push_back(sums.back().counts);
    } else {
      OutputCounts& all = counts.emplace_back();
      all.elements = all.compared = elements;
      all.samples = 1;
    }
  }
}

}  // namespace halftone
