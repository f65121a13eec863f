#include "search/operators/operator_tuner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "src/base/error.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

// Rounds of the variants of a network, and the ratios of each operator to variant 0.
class OperatorRounds {
 public:
  // Prepares the variants; variant 0 is what others are compared with and is never dropped.
  OperatorRounds(OperatorTimer& timer, std::span<const KernelAssignment> variants,
                 std::uint64_t seed);

  // Every variant once: odd rounds in a new random order, even ones in the reverse of it.
  void Run();
  void Drop(std::size_t variant);

  struct Estimate {
    double ratio = 1;
    Interval interval{1, 1};
    int rounds = 0;
  };

  // Time of an operator in a variant over that in variant 0; empty when no round has times above
  // zero for both.
  [[nodiscard]] std::optional<Estimate> RatioOf(std::size_t variant, std::size_t op) const;
  // Median seconds in a run of variant 0.
  [[nodiscard]] double StaticSeconds(std::size_t op) const;

  [[nodiscard]] int rounds() const { return rounds_; }

  [[nodiscard]] double spent_s() const { return spent_s_; }

  // Only variant 0 is left.
  [[nodiscard]] bool alone() const { return order_.size() == 1; }

 private:
  OperatorTimer& timer_;
  Rng rng_;
  std::uint64_t seed_;
  std::vector<std::size_t> order_;                         // variants that are left
  std::vector<std::vector<std::vector<double>>> times_s_;  // by variant, round, operator
  int rounds_ = 0;
  double spent_s_ = 0;
};

OperatorRounds::OperatorRounds(OperatorTimer& timer, std::span<const KernelAssignment> variants,
                               std::uint64_t seed)
    : timer_(timer), rng_(seed), seed_(seed), order_(variants.size()), times_s_(variants.size()) {
  Check(!variants.empty(), "rounds without a variant");
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  timer_.Prepare(variants);
}

void OperatorRounds::Run() {
  ++rounds_;
  if (rounds_ % 2 == 1) {
    rng_.Shuffle(std::span(order_));
  } else {
    std::reverse(order_.begin(), order_.end());
  }
  for (const std::size_t variant : order_) {
    OperatorSample sample = timer_.TakeSample(variant);
    spent_s_ += sample.spent_s;
    times_s_[variant].push_back(std::move(sample.operator_s));
  }
}

void OperatorRounds::Drop(std::size_t variant) {
  Check(variant != 0, "dropping what others are compared with");
  std::erase(order_, variant);
  timer_.Drop(variant);
}

std::optional<OperatorRounds::Estimate> OperatorRounds::RatioOf(std::size_t variant,
                                                                std::size_t op) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < times_s_[variant].size(); ++round) {
    const double here_s = times_s_[variant][round].at(op);
    const double static_s = times_s_[0][round].at(op);
    if (here_s > 0 && static_s > 0) {  // both may be below the resolution of the clock
      ratios.push_back(here_s / static_s);
    }
  }
  if (ratios.empty()) {
    return std::nullopt;
  }
  return Estimate{.ratio = Median(ratios),
                  .interval = BootstrapMedianInterval(ratios, {.seed = seed_}),
                  .rounds = static_cast<int>(ratios.size())};
}

double OperatorRounds::StaticSeconds(std::size_t op) const {
  std::vector<double> seconds;
  for (const std::vector<double>& round : times_s_[0]) {
    seconds.push_back(round.at(op));
  }
  return seconds.empty() ? 0 : Median(seconds);
}

// Intervals of 95 % are looked at after min_rounds and each time the rounds have grown by this
// factor.
constexpr double kLookGrowth = 1.25;
constexpr double kRaceShare = 0.75;  // of the budget

class OperatorTuner {
 public:
  OperatorTuner(std::span<const ContestedOperator> operators, OperatorTimer& timer,
                const OperatorTunerOptions& options, const OperatorTunerHooks& hooks)
      : operators_(operators),
        timer_(timer),
        options_(options),
        hooks_(hooks),
        left_(operators.size()),
        winner_(operators.size(), 0),
        decided_(operators.size(), false),
        timings_(operators.size()) {}

  std::vector<OperatorTiming> Tune() {
    Race();
    if (!stopped_) {
      Confirm();
    }
    std::vector<OperatorTiming> decided;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      if (decided_[op]) {
        decided.push_back(timings_[op]);
      }
    }
    return decided;
  }

 private:
  [[nodiscard]] double TieOf(std::size_t op, const OperatorRounds& rounds) const {
    const bool is_short = rounds.StaticSeconds(op) / operators_[op].count < options_.short_s;
    return operators_[op].memory_bound || is_short ? options_.memory_bound_tie : options_.tie;
  }

  [[nodiscard]] bool Narrow(const OperatorRounds::Estimate& estimate) const {
    return estimate.interval.half_width() <= options_.target_half_width * estimate.ratio;
  }

  void Keep(std::size_t op, const OperatorRounds& rounds) {
    decided_[op] = true;
    timings_[op] = {.signature = operators_[op].signature,
                    .static_kernel = operators_[op].kernels.front(),
                    .kernel = operators_[op].kernels.front(),
                    .rounds = rounds.rounds(),
                    .static_s = rounds.StaticSeconds(op) / operators_[op].count};
  }

  // Rounds until `look` says that all is decided, the budget is spent or a stop is requested.
  template <typename Look>
  void RunRounds(OperatorRounds& rounds, double budget_s, bool confirming, const Look& look) {
    int next_look = std::max(1, options_.min_rounds);
    while (rounds.rounds() < std::max(1, options_.max_rounds)) {
      if (hooks_.stop_requested && hooks_.stop_requested()) {
        stopped_ = true;
        return;
      }
      rounds.Run();
      if (hooks_.on_progress) {
        hooks_.on_progress({.confirming = confirming,
                            .decided = static_cast<std::size_t>(
                                std::count(decided_.begin(), decided_.end(), true)),
                            .operators = operators_.size(),
                            .spent_s = spent_s_ + rounds.spent_s(),
                            .budget_s = options_.budget_s});
      }
      if (rounds.rounds() < options_.min_rounds) {
        continue;
      }
      const bool spent = rounds.spent_s() >= budget_s;
      if (spent || rounds.rounds() >= next_look) {
        if (look() || spent) {
          return;
        }
        next_look = static_cast<int>(std::ceil(rounds.rounds() * kLookGrowth));
      }
    }
    look();
  }

  void Race() {
    std::size_t variants = 1;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      const std::size_t count = operators_[op].kernels.size();
      Check(count >= 2, "an operator without a choice of kernels");
      variants = std::max(variants, count);
      for (std::size_t kernel = 1; kernel < count; ++kernel) {
        left_[op].push_back(kernel);
      }
    }
    std::vector<KernelAssignment> assignments(variants, KernelAssignment(operators_.size(), 0));
    for (std::size_t variant = 1; variant < variants; ++variant) {
      for (std::size_t op = 0; op < operators_.size(); ++op) {
        assignments[variant][op] = variant < operators_[op].kernels.size() ? variant : 0;
      }
    }
    OperatorRounds rounds(timer_, assignments, options_.seed);
    std::vector<bool> dropped(variants, false);
    RunRounds(rounds, kRaceShare * options_.budget_s, false, [&] {
      const bool all = LookAtRace(rounds);
      for (std::size_t variant = 1; variant < variants; ++variant) {
        const bool wanted = std::any_of(left_.begin(), left_.end(), [&](const auto& kernels) {
          return std::find(kernels.begin(), kernels.end(), variant) != kernels.end();
        });
        if (!wanted && !dropped[variant]) {
          dropped[variant] = true;
          rounds.Drop(variant);
        }
      }
      return all;
    });
    spent_s_ = rounds.spent_s();
    if (!stopped_) {
      ChooseWinners(rounds);
    }
  }

  // Takes out who cannot win; true when nothing is open.
  bool LookAtRace(const OperatorRounds& rounds) {
    bool all = true;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      if (decided_[op]) {
        continue;
      }
      const double bar = 1 - TieOf(op, rounds);
      double best_high = bar;
      for (const std::size_t kernel : left_[op]) {
        if (const auto estimate = rounds.RatioOf(kernel, op)) {
          best_high = std::min(best_high, estimate->interval.high);
        }
      }
      bool narrow = true;
      std::erase_if(left_[op], [&](std::size_t kernel) {
        const auto estimate = rounds.RatioOf(kernel, op);
        // Above the bar: not beyond the tie. Above the best: slower than that one.
        const bool out = !estimate || estimate->interval.low > best_high;
        narrow = narrow && (out || Narrow(*estimate));
        return out;
      });
      if (left_[op].empty()) {
        Keep(op, rounds);
      } else {
        const bool clear_winner = left_[op].size() == 1 && best_high < bar;
        all = all && (narrow || clear_winner);
      }
    }
    return all;
  }

  // The fastest beyond the tie; none: the static order stays.
  void ChooseWinners(const OperatorRounds& rounds) {
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      double best = 1;
      for (const std::size_t kernel : left_[op]) {
        const auto estimate = rounds.RatioOf(kernel, op);
        if (estimate && estimate->interval.high < 1 - TieOf(op, rounds) && estimate->ratio < best) {
          best = estimate->ratio;
          winner_[op] = kernel;
        }
      }
      if (!decided_[op] && winner_[op] == 0) {
        Keep(op, rounds);
      }
    }
  }

  void Confirm() {
    if (std::all_of(winner_.begin(), winner_.end(), [](std::size_t k) { return k == 0; })) {
      return;
    }
    const KernelAssignment assignments[] = {KernelAssignment(operators_.size(), 0), winner_};
    OperatorRounds rounds(timer_, assignments, options_.seed + 1);
    RunRounds(rounds, (1 - kRaceShare) * options_.budget_s, true, [&] {
      bool all = true;
      for (std::size_t op = 0; op < operators_.size(); ++op) {
        const auto estimate = rounds.RatioOf(1, op);
        all = all && (winner_[op] == 0 || !estimate || Narrow(*estimate));
      }
      return all;
    });
    for (std::size_t op = 0; op < operators_.size() && !stopped_; ++op) {
      if (winner_[op] == 0) {
        continue;
      }
      Keep(op, rounds);
      const auto estimate = rounds.RatioOf(1, op);
      if (estimate && estimate->interval.high < 1 - TieOf(op, rounds)) {
        timings_[op].kernel = operators_[op].kernels[winner_[op]];
        timings_[op].ratio = estimate->ratio;
        timings_[op].ratio_interval = estimate->interval;
        timings_[op].rounds = estimate->rounds;
      }
    }
  }

  std::span<const ContestedOperator> operators_;
  OperatorTimer& timer_;
  const OperatorTunerOptions& options_;
  const OperatorTunerHooks& hooks_;
  std::vector<std::vector<std::size_t>> left_;  // by operator: kernels that are still in the race
  KernelAssignment winner_;                     // of the race; 0: the static order
  std::vector<bool> decided_;
  std::vector<OperatorTiming> timings_;
  double spent_s_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::vector<OperatorTiming> TuneOperators(std::span<const ContestedOperator> operators,
                                          OperatorTimer& timer, const OperatorTunerOptions& options,
                                          const OperatorTunerHooks& hooks) {
  if (operators.empty()) {
    return {};
  }
  return OperatorTuner(operators, timer, options, hooks).Tune();
}

}  // namespace halftone
