#include "search/calibrate/relative_error.h"

#include <cmath>

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

double RelativeError(const ReferencePower& exact, const Tensor& actual) {
  // An element set apart that becomes an ordinary number is an error for ReferencePower. Here each
  // range clips it, so it would hide what ranges do to the others.
  const ErrorPower power = exact.Of(actual);
  if (power.broken || power.has_apart) {
    return RelativeErrorOfOthers(exact.reference(), actual, SetApartIn(exact.reference()));
  }
  return power.reference_power > 0 ? power.error_power / power.reference_power : power.error_power;
}

}  // namespace halftone
