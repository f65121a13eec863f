#include "src/base/sign_test.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "src/base/error.h"

namespace halftone {
namespace {

// The probability of exactly k heads in n tosses; by logarithms, because 2^-n is 0 for n > 1074.
double BinomialHalf(std::int64_t n, std::int64_t k) {
  const auto tosses = static_cast<double>(n);
  const auto heads = static_cast<double>(k);
  return std::exp(std::lgamma(tosses + 1) - std::lgamma(heads + 1) -
                  std::lgamma(tosses - heads + 1) - tosses * std::numbers::ln2);
}

}  // namespace

double SignTestP(std::int64_t heads, std::int64_t tails) {
  Check(heads >= 0 && tails >= 0, "a sign test of negative counts");
  const std::int64_t n = heads + tails;
  double tail = 0;
  for (std::int64_t k = 0; k <= std::min(heads, tails); ++k) {
    tail += BinomialHalf(n, k);
  }
  return std::min(1.0, 2 * tail);
}

std::optional<Interval> MedianInterval(std::span<const double> sample, double miss) {
  Check(miss > 0 && miss < 1, "a probability outside 0..1");
  const std::int64_t n = std::ssize(sample);
  // The most values that may be cut off at each end.
  std::int64_t cut = -1;
  double tails = 0;
  for (std::int64_t k = 0; 2 * k < n; ++k) {
    tails += 2 * BinomialHalf(n, k);
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
