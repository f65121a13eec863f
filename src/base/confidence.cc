#include "src/base/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "src/base/distributions.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostStake = 0.98;  // of what would lose everything on a value of 0
constexpr int kBisections = 60;
constexpr int kResamples = 1000;
constexpr double kNegligible = 1e-6;  // of the largest value: 60 dB below it

// True if the gambler's capital against "the mean is at most m" reaches exp(log_gain) times the
// start: then that m is refused.
bool Refuses(std::span<const double> values, double m, double log_gain) {
  const auto n = static_cast<double>(values.size());
  double log_capital = 0;
  double most = 0;
  // Mean and variance of the values so far, begun with those of one fair coin.
  double sum = 0.5;
  double squares = 0.25;
  double count = 1;
  for (const double value : values) {
    const double stake =
        std::min(std::sqrt(2 * log_gain / (n * (squares / count))), kMostStake / m);
    log_capital += std::log1p(stake * (value - m));
    most = std::max(most, log_capital);
    sum += value;
    ++count;
    const double from_mean = value - sum / count;
    squares += from_mean * from_mean;
  }
  return most >= log_gain;
}

struct MeanAndError {
  double mean = 0;
  double error = 0;  // standard error of the mean
};

MeanAndError Describe(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

// The quantile that only a share of 1 - confidence is below; reorders.
double LowQuantile(std::vector<double>& values, double confidence) {
  const auto position =
      static_cast<std::size_t>((1 - confidence) * static_cast<double>(values.size()));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double StudentisedLimit(std::span<const double> values, const MeanAndError& all,
                        const ConfidenceOptions& options) {
  Rng rng(options.seed);
  std::vector<double> resample(values.size());
  std::vector<double> pivots;
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      value = values[rng.Below(values.size())];
    }
    const MeanAndError one = Describe(resample);
    // A resample without spread says nothing about the limit, and counts against it.
    pivots.push_back(one.error > 0 ? (one.mean - all.mean) / one.error : -kInfinity);
  }
  return all.mean - LowQuantile(pivots, options.confidence) * all.error;
}

// Chi-square with `freedom` degrees; many by the cube of a normal (Wilson and Hilferty, 1931).
double ChiSquare(std::size_t freedom, Rng& rng) {
  constexpr std::size_t kFew = 100;
  if (freedom > kFew) {
    const double variance = 2 / (9 * static_cast<double>(freedom));
    const double root = 1 - variance + std::sqrt(variance) * rng.Normal();
    return static_cast<double>(freedom) * root * root * root;
  }
  double sum = 0;
  for (std::size_t i = 0; i < freedom; ++i) {
    const double normal = rng.Normal();
    sum += normal * normal;
  }
  return sum;
}

double LogNormalLimit(std::span<const double> values, const ConfidenceOptions& options) {
  const double negligible = kNegligible * std::ranges::max(values);
  std::vector<double> logs;
  for (const double value : values) {
    if (value > negligible) {
      logs.push_back(std::log(value));
    }
  }
  if (logs.size() < 2) {
    return kInfinity;
  }
  const MeanAndError of_logs = Describe(logs);
  const auto n = static_cast<double>(logs.size());
  const double variance = of_logs.error * of_logs.error * n;
  Rng rng(options.seed);
  std::vector<double> means;  // negated, of the logarithm of the mean
  for (int i = 0; i < kResamples; ++i) {
    const double true_variance = variance * (n - 1) / ChiSquare(logs.size() - 1, rng);
    means.push_back(
        -(of_logs.mean + rng.Normal() * std::sqrt(true_variance / n) + true_variance / 2));
  }
  return std::exp(-LowQuantile(means, options.confidence)) + negligible;
}

}  // namespace

double LowerLimitOfBoundedMean(std::span<const double> values, const ConfidenceOptions& options) {
  const double log_gain = -std::log1p(-options.confidence);
  // The bets depend on the order, so files sorted by class are shuffled.
  std::vector<double> shuffled(values.begin(), values.end());
  Rng(options.seed).Shuffle(std::span(shuffled));
  for (const double value : shuffled) {
    Check(value >= 0 && value <= 1, "a value outside of [0, 1]");
  }
  double refused = 0;
  double allowed = 1;
  for (int i = 0; i < kBisections && !shuffled.empty(); ++i) {
    const double m = (refused + allowed) / 2;
    (Refuses(shuffled, m, log_gain) ? refused : allowed) = m;
  }
  return refused;
}

double UpperLimitOfShare(std::size_t count, std::size_t n, double confidence) {
  Check(count <= n, "more events than trials");
  if (count == n) {
    return 1;
  }
  if (count == 0) {
    return -std::expm1(std::log1p(-confidence) / static_cast<double>(n));
  }
  return BinomialUpperLimit(static_cast<std::int64_t>(count), static_cast<std::int64_t>(n),
                            1 - confidence);
}

std::size_t TrialsForShare(double share, double confidence) {
  Check(share > 0 && share < 1, "a share outside of (0, 1)");
  return static_cast<std::size_t>(std::ceil(std::log1p(-confidence) / std::log1p(-share)));
}

double UpperLimitOfCappedMean(std::span<const double> values, double cap,
                              const ConfidenceOptions& options) {
  Check(cap > 0, "a cap that is not positive");
  std::vector<double> below;  // shares of the cap that the values leave
  for (const double value : values) {
    below.push_back(1 - std::min(value, cap) / cap);
  }
  return cap * (1 - LowerLimitOfBoundedMean(below, options));
}

double UpperLimitByBootstrap(std::span<const double> values, const ConfidenceOptions& options) {
  if (values.size() < 2) {
    return kInfinity;
  }
  const MeanAndError all = Describe(values);
  if (all.error != 0) {
    return StudentisedLimit(values, all, options);
  }
  if (values.size() >= kFewestEqualValues) {
    return all.mean;
  }
  return kInfinity;
}

double UpperLimitOfMean(std::span<const double> values, const ConfidenceOptions& options) {
  const double limit = UpperLimitByBootstrap(values, options);
  const bool spreads = std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
  return spreads ? std::max(limit, LogNormalLimit(values, options)) : limit;
}

}  // namespace halftone
