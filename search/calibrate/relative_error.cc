#include "search/calibrate/relative_error.h"

#include <cmath>

#include "src/accuracy/metrics.h"
#include "src/accuracy/set_apart.h"

namespace halftone {
namespace {

double RelativeErrorOfOthers(const Tensor& exact, const Tensor& actual, const SetApart& apart) {
  double error = 0;
  double power = 0;
  const auto a = exact.values<float>();
  const auto b = actual.values<float>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    if (std::isfinite(off) && !apart.Holds(a[i])) {
      error += off * off;
      power += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    }
  }
  return power > 0 ? error / power : error;
}

}  // namespace

double RelativeError(const Tensor& exact, const Tensor& actual) {
  // An element set apart that becomes an ordinary number is an error for SumsOf(). Here each range
  // clips it, so it would hide what ranges do to the others.
  const OutputSums sums = SumsOf(exact, actual);
  if (sums.broken || sums.counts.apart > 0) {
    return RelativeErrorOfOthers(exact, actual, SetApartIn(exact));
  }
  return sums.reference_power > 0 ? sums.error_power / sums.reference_power : sums.error_power;
}

}  // namespace halftone
