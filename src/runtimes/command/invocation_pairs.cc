#include "src/runtimes/command/invocation_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/distributions.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/sign_test.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

constexpr double kMiss = 0.05;
// A machine that was restless an hour ago may be calm now.
constexpr std::size_t kMostDifferences = 30;
constexpr double kTie = 0.01;
// The fewest pairs with a distribution-free interval of 95 %.
constexpr int kMostRepeats = 6;

Interval UnionOf(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

class Comparison {
 public:
  Comparison(const InvokeSide& invoke, InvocationSpread& spread, double& last_reference_s,
             const InvocationPairsOptions& options)
      : invoke_(invoke),
        spread_(spread),
        last_reference_s_(last_reference_s),
        options_(options),
        rng_(options.seed) {}

  std::optional<Latency> Measure() {
    int planned = 1;
    double looked_at = 0;  // share of the pairs
    for (int pair = 1, next_look = 1; true; ++pair) {
      if (!RunPair(pair)) {
        return std::nullopt;
      }
      if (pair == 1) {
        const double affordable = std::floor(options_.budget_s / std::max(spent_s_, 1e-9));
        planned =
            std::max(spread_.Repeats(),
                     static_cast<int>(std::clamp(affordable, 1.0, 1.0 * options_.most_pairs)));
      }
      if (pair < next_look && pair < planned) {
        continue;
      }
      next_look *= 2;
      const double level = std::min(1.0, 1.0 * pair / planned);
      Latency latency = LookAt(kMiss * (level - looked_at));
      looked_at = level;
      latency.raced = pair < planned && latency.ratio_interval.low > options_.give_up_above;
      const bool narrow =
          latency.ratio_interval.half_width() <= options_.target_half_width * latency.ratio;
      if (pair >= planned || latency.raced || narrow) {
        return latency;
      }
    }
  }

 private:
  struct Side {
    std::vector<double> medians_s;  // of each invocation
    std::vector<double> runs_s;     // of all
  };

  // Odd pairs in a random order, even ones in the reverse of it.
  bool RunPair(int pair) {
    candidate_first_ = pair % 2 == 1 ? rng_.Below(2) == 1 : !candidate_first_;
    return Run(candidate_first_) && Run(!candidate_first_);
  }

  bool Run(bool candidate) {
    const std::optional<Invocation> invocation = invoke_(candidate);
    if (!invocation) {
      return false;
    }
    Check(!invocation->latencies_s.empty(), "an invocation without a latency");
    spent_s_ += invocation->wall_s;
    Side& side = candidate ? candidate_ : reference_;
    const double median_s = Median(invocation->latencies_s);
    const double before_s =
        candidate ? (side.medians_s.empty() ? 0 : side.medians_s.back()) : last_reference_s_;
    if (before_s > 0) {
      spread_.Add(before_s, median_s);
    }
    if (!candidate) {
      last_reference_s_ = median_s;
    }
    side.medians_s.push_back(median_s);
    side.runs_s.insert(side.runs_s.end(), invocation->latencies_s.begin(),
                       invocation->latencies_s.end());
    return true;
  }

  [[nodiscard]] Latency LookAt(double miss) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < candidate_.medians_s.size(); ++i) {
      ratios.push_back(candidate_.medians_s[i] / reference_.medians_s[i]);
    }
    Latency latency;
    latency.ratio = Median(ratios);
    latency.median_s = Median(candidate_.medians_s);
    latency.anchor_median_s = Median(reference_.medians_s);
    latency.candidate_samples_s = candidate_.medians_s;
    latency.anchor_samples_s = reference_.medians_s;
    const std::optional<Interval> exact = MedianInterval(ratios, miss);
    if (exact) {
      latency.ratio_interval = *exact;
      return latency;
    }
    latency.ratio_interval =
        UnionOf(BetweenInvocations(ratios, miss), {.low = latency.ratio, .high = latency.ratio});
    if (const std::optional<Interval> within = WithinInvocations(miss)) {
      latency.ratio_interval = UnionOf(latency.ratio_interval, *within);
    }
    return latency;
  }

  // There are two pairs or more, or a spread of earlier ones (InvocationSpread::Repeats()).
  [[nodiscard]] Interval BetweenInvocations(const std::vector<double>& ratios, double miss) const {
    if (!spread_.is_known()) {
      return {.low = 0, .high = std::numeric_limits<double>::infinity()};
    }
    const auto pairs = static_cast<double>(ratios.size());
    const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0,
                                        [](double sum, double r) { return sum + std::log(r); }) /
                        pairs;
    const double half_width =
        StudentT(miss, spread_.freedom()) * spread_.sigma() * std::sqrt(2 / pairs);
    return {.low = std::exp(mean - half_width), .high = std::exp(mean + half_width)};
  }

  [[nodiscard]] std::optional<Interval> WithinInvocations(double miss) const {
    const std::optional<Interval> candidate = MedianInterval(candidate_.runs_s, miss / 2);
    const std::optional<Interval> reference = MedianInterval(reference_.runs_s, miss / 2);
    if (!candidate || !reference) {
      return std::nullopt;
    }
    return Interval{.low = candidate->low / reference->high,
                    .high = candidate->high / reference->low};
  }

  const InvokeSide& invoke_;
  InvocationSpread& spread_;
  double& last_reference_s_;
  const InvocationPairsOptions& options_;
  Rng rng_;
  bool candidate_first_ = false;
  Side candidate_;
  Side reference_;
  double spent_s_ = 0;
};

}  // namespace

void InvocationSpread::Add(double median_s, double next_median_s) {
  const double difference = std::log(next_median_s / median_s);
  squares_.push_back(difference * difference);
  if (squares_.size() > kMostDifferences) {
    squares_.pop_front();
  }
}

double InvocationSpread::sigma() const {
  if (squares_.empty()) {
    return 0;
  }
  const double sum = std::accumulate(squares_.begin(), squares_.end(), 0.0);
  return std::sqrt(sum / (2 * static_cast<double>(squares_.size())));
}

int InvocationSpread::freedom() const {
  return std::max(1, static_cast<int>(squares_.size() * 2 / 3));
}

int InvocationSpread::Repeats() const {
  if (!is_known()) {
    return 2;
  }
  constexpr double kQuantile = 1.96;  // of the normal distribution at 97.5 %
  const double half_widths = kQuantile * sigma() / kTie;
  return static_cast<int>(
      std::clamp(std::ceil(2 * half_widths * half_widths), 1.0, 1.0 * kMostRepeats));
}

std::optional<Latency> MeasureInvocationPairs(const InvokeSide& invoke, InvocationSpread& spread,
                                              double& last_reference_s,
                                              const InvocationPairsOptions& options) {
  return Comparison(invoke, spread, last_reference_s, options).Measure();
}

}  // namespace halftone
