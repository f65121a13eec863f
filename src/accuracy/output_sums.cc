// Sums behind the error metrics. Outputs may have millions of elements and every candidate is
// judged on every sample, so the usual case (float32, all finite) runs as Eigen array expressions.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "src/accuracy/metrics.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Element by element, any dtype, any value.
OutputSums SumsWithCare(const Tensor& reference, const Tensor& actual) {
  OutputSums sums;
  for (std::int64_t i = 0; i < reference.ElementCount(); ++i) {
    const double want = DoubleAt(reference.dtype(), reference.data(), i);
    const double got = DoubleAt(actual.dtype(), actual.data(), i);
    if (!std::isfinite(want) || !std::isfinite(got)) {
      sums.broken = sums.broken || !(want == got || (std::isnan(want) && std::isnan(got)));
      continue;
    }
    const double error = got - want;
    sums.reference_power += want * want;
    sums.actual_power += got * got;
    sums.product += want * got;
    sums.error_power += error * error;
    sums.max_abs_error = std::max(sums.max_abs_error, std::abs(error));
  }
  return sums;
}

// Sums that are not finite when an element is not.
OutputSums SumsOfFloats(std::span<const float> reference, std::span<const float> actual) {
  using FloatMap = Eigen::Map<const Eigen::ArrayXf>;
  const auto count = static_cast<Eigen::Index>(reference.size());
  const auto want = FloatMap(reference.data(), count).cast<double>();
  const auto got = FloatMap(actual.data(), count).cast<double>();
  OutputSums sums;
  sums.reference_power = want.square().sum();
  sums.actual_power = got.square().sum();
  sums.product = (want * got).sum();
  sums.error_power = (got - want).square().sum();
  sums.max_abs_error = (got - want).abs().maxCoeff();
  return sums;
}

}  // namespace

OutputSums SumsOf(const Tensor& reference, const Tensor& actual) {
  Check(reference.shape() == actual.shape(), "reference and actual outputs have the same shape");
  const bool floats = reference.dtype() == DType::kFloat32 && actual.dtype() == DType::kFloat32;
  if (floats && reference.ElementCount() > 0) {
    const OutputSums sums = SumsOfFloats(reference.values<float>(), actual.values<float>());
    if (std::isfinite(sums.reference_power) && std::isfinite(sums.actual_power)) {
      return sums;
    }
  }
  return SumsWithCare(reference, actual);
}

SampleView::SampleView(const SampleOutputs& sample) : outputs(sample) {
  Check(sample.reference.size() == sample.actual.size(),
        "reference and configuration have the same outputs");
  for (std::size_t i = 0; i < sample.reference.size(); ++i) {
    if (IsFloating(sample.reference[i].dtype())) {
      sums.push_back(SumsOf(sample.reference[i], sample.actual[i]));
    }
  }
}

}  // namespace halftone
