#include "search/measure/placements.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/base/distributions.h"
#include "src/base/error.h"
#include "src/base/sign_test.h"

namespace halftone {
namespace {

constexpr double kMiss = 0.05;

}  // namespace

Latency PoolPlacements(std::span<const Latency> placements) {
  Check(!placements.empty(), "no placements to pool");
  Latency pooled;
  std::vector<double> ratios;
  // Ratios are compared by factors, so their spread is taken of logarithms: no bound can become
  // negative, however far placements lie apart.
  std::vector<double> log_ratios;
  double mean = 0;
  for (const Latency& part : placements) {
    for (std::size_t i = 0; i < part.candidate_samples_s.size(); ++i) {
      ratios.push_back(part.candidate_samples_s[i] / part.anchor_samples_s[i]);
      pooled.candidate_samples_s.push_back(part.candidate_samples_s[i]);
      pooled.anchor_samples_s.push_back(part.anchor_samples_s[i]);
    }
    log_ratios.push_back(std::log(part.ratio));
    mean += log_ratios.back() / static_cast<double>(placements.size());
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  const Interval rounds = MedianInterval(ratios, kMiss).value_or(Interval{least, most});
  const double spread = StudentHalfWidth(log_ratios, kMiss);
  pooled.ratio = Median(ratios);
  pooled.ratio_interval = {std::min(rounds.low, std::min(pooled.ratio, std::exp(mean - spread))),
                           std::max(rounds.high, std::max(pooled.ratio, std::exp(mean + spread)))};
  pooled.median_s = Median(pooled.candidate_samples_s);
  pooled.anchor_median_s = Median(pooled.anchor_samples_s);
  return pooled;
}

}  // namespace halftone
