#include "search/paired_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

// The interval is looked at after min_rounds and each time the rounds have grown by this factor:
// looking after every round would stop at lucky moments, and would cost more than measuring.
constexpr double kLookGrowth = 1.25;
constexpr std::int64_t kMostRunsPerSample = 1'000'000;

class PairedRounds {
 public:
  PairedRounds(std::size_t candidates, const TimedRuns& timed_runs,
               const PairedRoundsOptions& options)
      : anchor_(candidates),
        timed_runs_(timed_runs),
        options_(options),
        rng_(options.seed),
        runs_(candidates + 1),
        samples_s_(candidates + 1),
        order_(candidates + 1) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::vector<Latency> Measure() {
    for (std::size_t which = 0; which <= anchor_; ++which) {
      WarmUp(which);
    }
    int next_look = std::max(1, options_.min_rounds);
    for (int round = 1; round <= std::max(1, options_.max_rounds); ++round) {
      RunRound(round);
      if (round < options_.min_rounds) {
        continue;
      }
      if (spent_s_ >= budget_s_) {
        break;
      }
      if (round >= next_look) {
        if (AllNarrow()) {
          break;
        }
        next_look = static_cast<int>(std::ceil(round * kLookGrowth));
      }
    }
    std::vector<Latency> latencies;
    for (std::size_t candidate = 0; candidate < anchor_; ++candidate) {
      latencies.push_back(LatencyOf(candidate));
    }
    return latencies;
  }

 private:
  double Time(std::size_t which, std::int64_t runs) {
    const double seconds = timed_runs_(which, runs);
    Check(seconds > 0 && std::isfinite(seconds), "a timing that is not positive");
    spent_s_ += seconds;
    return seconds;
  }

  // Also finds out how many runs make a sample: from the fastest run, because the first ones are
  // slow and a late one would make samples too short.
  void WarmUp(std::size_t which) {
    double total_s = 0;
    double fastest_s = std::numeric_limits<double>::infinity();
    for (int run = 0; run < std::max(1, options_.warm_up_runs) || total_s < options_.warm_up_s;
         ++run) {
      const double seconds = Time(which, 1);
      total_s += seconds;
      fastest_s = std::min(fastest_s, seconds);
    }
    const double runs = std::clamp(std::round(options_.batch_target_s / fastest_s), 1.0,
                                   static_cast<double>(kMostRunsPerSample));
    runs_[which] = static_cast<std::int64_t>(runs);
    if (which == anchor_) {
      budget_s_ =
          options_.budget_s * (fastest_s > options_.slow_run_s ? options_.slow_budget_factor : 1);
    }
  }

  // Odd rounds in a new random order, even ones in the reverse of it.
  void RunRound(int round) {
    if (round % 2 == 1) {
      rng_.Shuffle(std::span(order_));
    } else {
      std::reverse(order_.begin(), order_.end());
    }
    for (const std::size_t which : order_) {
      samples_s_[which].push_back(Time(which, runs_[which]) / static_cast<double>(runs_[which]));
    }
  }

  [[nodiscard]] std::vector<double> Ratios(std::size_t candidate) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples_s_[candidate].size(); ++i) {
      ratios.push_back(samples_s_[candidate][i] / samples_s_[anchor_][i]);
    }
    return ratios;
  }

  [[nodiscard]] Interval IntervalOf(const std::vector<double>& ratios) const {
    return BootstrapMedianInterval(ratios, {.seed = options_.seed});
  }

  [[nodiscard]] bool AllNarrow() const {
    for (std::size_t candidate = 0; candidate < anchor_; ++candidate) {
      const std::vector<double> ratios = Ratios(candidate);
      if (IntervalOf(ratios).half_width() > options_.target_half_width * Median(ratios)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] Latency LatencyOf(std::size_t candidate) const {
    const std::vector<double> ratios = Ratios(candidate);
    return {.ratio = Median(ratios),
            .ratio_interval = IntervalOf(ratios),
            .median_s = Median(samples_s_[candidate]),
            .anchor_median_s = Median(samples_s_[anchor_]),
            .candidate_samples_s = samples_s_[candidate],
            .anchor_samples_s = samples_s_[anchor_]};
  }

  std::size_t anchor_;
  const TimedRuns& timed_runs_;
  const PairedRoundsOptions& options_;
  Rng rng_;
  std::vector<std::int64_t> runs_;              // per sample, by participant
  std::vector<std::vector<double>> samples_s_;  // seconds a run, by participant
  std::vector<std::size_t> order_;
  double spent_s_ = 0;
  double budget_s_ = 0;
};

}  // namespace

std::vector<Latency> MeasurePairedRounds(std::size_t candidates, const TimedRuns& timed_runs,
                                         const PairedRoundsOptions& options) {
  Check(candidates > 0, "paired rounds without a candidate");
  return PairedRounds(candidates, timed_runs, options).Measure();
}

}  // namespace halftone
