#include "search/calibrate/relative_error.h"

#include <cmath>

#include "src/accuracy/set_apart.h"

namespace halftone {

double RelativeError(const Tensor& exact, const Tensor& actual) {
  double error = 0;
  double power = 0;
  const SetApart apart = SetApartIn(exact);
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

}  // namespace halftone
