#include "search/measure/paired_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "src/base/distributions.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/sign_test.h"
#include "src/base/stats.h"

namespace halftone {
namespace {

// Largest probability that the interval of any look misses the true ratio, and the share of the
// budget spent at the first look; each further look comes when twice as much is spent.
constexpr double kMiss = 0.05;
constexpr double kFirstLook = 1.0 / 16;
constexpr std::int64_t kMostRunsPerSample = 1'000'000;
// Of the budget. Measurements of 0.05 s and more have the whole warm-up and samples of 1 ms.
constexpr double kMostOfWarmUp = 0.5;
constexpr double kMostOfSample = 0.02;

// Interval of rounds that are too few for MedianInterval(): that of Student of the logarithms,
// which takes them for normal, and the range of the ratios at least. One round has no width.
Interval OfFew(std::span<const double> ratios, double miss) {
  std::vector<double> logarithms;
  for (const double ratio : ratios) {
    logarithms.push_back(std::log(ratio));
  }
  const double mean = std::accumulate(logarithms.begin(), logarithms.end(), 0.0) /
                      static_cast<double>(logarithms.size());
  const double half_width = StudentHalfWidth(logarithms, miss);
  const auto [least, most] = std::ranges::minmax(ratios);
  return {std::min(least, std::exp(mean - half_width)),
          std::max(most, std::exp(mean + half_width))};
}

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
      if (!WarmUp(which)) {
        return std::vector<Latency>(anchor_);
      }
    }
    const int max_rounds = std::max(1, options_.max_rounds);
    double looked_at = 0;           // shares of the budget: that of the last look...
    double next_look = kFirstLook;  // ...and of the next one
    for (int round = 1; true; ++round) {
      RunRound(round);
      if (Stopped()) {
        return LookAt(kMiss).latencies;
      }
      const double share = std::min(1.0, std::max(spent_s_ / budget_s_, 1.0 * round / max_rounds));
      if (share < next_look || (IsRequired(round + 1) && round < max_rounds)) {
        continue;
      }
      while (next_look <= share) {
        next_look *= 2;
      }
      const double level = next_look / 2;
      Look look = LookAt(kMiss * (level - looked_at));
      if (level == 1 || (look.enough && (Lost(look) || AllNarrow(look)))) {
        return std::move(look.latencies);
      }
      looked_at = look.enough ? level : looked_at;
    }
  }

  Latency MeasureAnchor() {
    if (!WarmUp(anchor_)) {
      return {};
    }
    for (int round = 1; round == 1 || (IsRequired(round) && !Stopped()); ++round) {
      RunRound(round);
    }
    const std::vector<double>& samples_s = samples_s_[anchor_];
    const double median_s = Median(samples_s);
    return {.ratio = 1,
            .ratio_interval = {1, 1},
            .median_s = median_s,
            .anchor_median_s = median_s,
            .candidate_samples_s = samples_s,
            .anchor_samples_s = samples_s};
  }

 private:
  double Time(std::size_t which, std::int64_t runs) {
    const double seconds = timed_runs_(which, runs);
    Check(seconds > 0 && std::isfinite(seconds), "a timing that is not positive");
    spent_s_ += seconds;
    return seconds;
  }

  [[nodiscard]] bool Stopped() const {
    return options_.stop_requested && options_.stop_requested();
  }

  [[nodiscard]] bool IsRequired(int round) const {
    return round <= options_.min_rounds &&
           (round <= kFewestRounds || in_rounds_s_ < options_.min_rounds_s);
  }

  // Warms up, and sets the runs in a sample from the fastest run: the first runs are slow, and a
  // slow one would make samples too short. False: stopped.
  bool WarmUp(std::size_t which) {
    const double warm_up_s = std::min(options_.warm_up_s, kMostOfWarmUp * options_.budget_s);
    const double sample_s = std::min(options_.batch_target_s, kMostOfSample * options_.budget_s);
    double total_s = 0;
    double fastest_s = std::numeric_limits<double>::infinity();
    for (int run = 0; run == 0 || ((run < options_.warm_up_runs || total_s < warm_up_s) &&
                                   total_s < options_.most_warm_up_s);
         ++run) {
      const double seconds = Time(which, 1);
      total_s += seconds;
      fastest_s = std::min(fastest_s, seconds);
      if (Stopped()) {
        return false;
      }
    }
    const double runs =
        std::clamp(std::round(sample_s / fastest_s), 1.0, static_cast<double>(kMostRunsPerSample));
    runs_[which] = static_cast<std::int64_t>(runs);
    if (which == anchor_) {
      budget_s_ =
          options_.budget_s * (fastest_s > options_.slow_run_s ? options_.slow_budget_factor : 1);
    }
    return true;
  }

  // Odd rounds in a new random order, even ones in the reverse of it.
  void RunRound(int round) {
    const double before_s = spent_s_;
    if (round % 2 == 1) {
      rng_.Shuffle(std::span(order_));
    } else {
      std::reverse(order_.begin(), order_.end());
    }
    for (const std::size_t which : order_) {
      samples_s_[which].push_back(Time(which, runs_[which]) / static_cast<double>(runs_[which]));
    }
    in_rounds_s_ += spent_s_ - before_s;
  }

  [[nodiscard]] std::vector<double> Ratios(std::size_t candidate) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples_s_[candidate].size(); ++i) {
      ratios.push_back(samples_s_[candidate][i] / samples_s_[anchor_][i]);
    }
    return ratios;
  }

  struct Look {
    std::vector<Latency> latencies;
    bool enough = false;  // rounds for intervals that miss as seldom as asked
  };

  [[nodiscard]] Look LookAt(double miss) const {
    Look look;
    for (std::size_t candidate = 0; candidate < anchor_; ++candidate) {
      const std::vector<double> ratios = Ratios(candidate);
      const std::optional<Interval> interval = MedianInterval(ratios, miss);
      look.enough = interval.has_value();  // for one as for all: it depends on the count of rounds
      look.latencies.push_back({.ratio = Median(ratios),
                                .ratio_interval = interval ? *interval : OfFew(ratios, miss),
                                .median_s = Median(samples_s_[candidate]),
                                .anchor_median_s = Median(samples_s_[anchor_]),
                                .candidate_samples_s = samples_s_[candidate],
                                .anchor_samples_s = samples_s_[anchor_]});
    }
    return look;
  }

  [[nodiscard]] bool AllNarrow(const Look& look) const {
    return std::ranges::all_of(look.latencies, [this](const Latency& latency) {
      return latency.ratio_interval.half_width() <= options_.target_half_width * latency.ratio;
    });
  }

  // Marks the latencies if so.
  [[nodiscard]] bool Lost(Look& look) const {
    const bool lost = std::ranges::all_of(look.latencies, [this](const Latency& latency) {
      return latency.ratio_interval.low > options_.give_up_above;
    });
    for (Latency& latency : look.latencies) {
      latency.raced = lost;
    }
    return lost;
  }

  std::size_t anchor_;
  const TimedRuns& timed_runs_;
  const PairedRoundsOptions& options_;
  Rng rng_;
  std::vector<std::int64_t> runs_;              // per sample, by participant
  std::vector<std::vector<double>> samples_s_;  // seconds a run, by participant
  std::vector<std::size_t> order_;
  double spent_s_ = 0;
  double in_rounds_s_ = 0;  // of it, in rounds
  double budget_s_ = 0;
};

}  // namespace

int LeastRuns(const PairedRoundsOptions& options, double run_s) {
  int warm_up = 1;
  while (warm_up < options.warm_up_runs && warm_up * run_s < options.most_warm_up_s) {
    ++warm_up;
  }
  int rounds = std::min(kFewestRounds, options.min_rounds);
  while (rounds < options.min_rounds && rounds * 2 * run_s < options.min_rounds_s) {
    ++rounds;
  }
  return warm_up + rounds;
}

std::vector<Latency> MeasurePairedRounds(std::size_t candidates, const TimedRuns& timed_runs,
                                         const PairedRoundsOptions& options) {
  Check(candidates > 0, "paired rounds without a candidate");
  return PairedRounds(candidates, timed_runs, options).Measure();
}

Latency MeasureAnchor(const TimedRuns& timed_runs, const PairedRoundsOptions& options) {
  return PairedRounds(0, timed_runs, options).MeasureAnchor();
}

}  // namespace halftone
