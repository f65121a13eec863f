#include "src/base/sign_test.h"

#include <algorithm>
#include <vector>

#include "src/base/distributions.h"
#include "src/base/error.h"

namespace halftone {

double SignTestP(std::int64_t heads, std::int64_t tails) {
  Check(heads >= 0 && tails >= 0, "a sign test of negative counts");
  return std::min(1.0, 2 * BinomialUpTo(std::min(heads, tails), heads + tails, 0.5));
}

std::optional<Interval> MedianInterval(std::span<const double> sample, double miss) {
  Check(miss > 0 && miss < 1, "a probability outside 0..1");
  const std::int64_t n = std::ssize(sample);
  // The most values that may be cut off at each end.
  std::int64_t cut = -1;
  double tails = 0;
  for (std::int64_t k = 0; 2 * k < n; ++k) {
    tails += 2 * BinomialExactly(k, n, 0.5);
    if (tails > miss) {
      break;
    }
    cut = k;
  }
  if (cut < 0) {
    return std::nullopt;
  }
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  return Interval{sorted[static_cast<std::size_t>(cut)],
                  sorted[static_cast<std::size_t>(n - 1 - cut)]};
}

}  // namespace halftone
