#include "search/calibrate/relative_error.h"

#include "src/accuracy/metrics.h"

namespace halftone {

double RelativeError(const Tensor& exact, const Tensor& actual) {
  const OutputSums sums = SumsOf(exact, actual);
  return sums.reference_power > 0 ? sums.error_power / sums.reference_power : sums.error_power;
}

}  // namespace halftone
