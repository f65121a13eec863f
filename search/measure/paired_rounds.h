// Compares the latency of candidates with an anchor, without a clock of its own: the caller passes
// the function that runs and times, so that tests can plant the truth.
//
// Observed on the development machine: the speed of a core drifts by 3 % (compute) to 15 % (memory)
// within a minute, single samples are late by up to 2.8 times when another process wants the core,
// and the minimum of many samples is a lucky shot that repeats worse than the median.
// So: candidates and anchor run one after the other in rounds, in shuffled order and, in the next
// round, in the reverse order (AB BA), which cancels linear drift; each round gives one ratio per
// candidate; the estimate is the median of the ratios. Two seconds then resolve 0.3 %, where timing
// one after the other resolves 5 %. The protocol: docs/internals/latency.md.
//
// The interval is computed at several looks, and each look may end the measurement, so each gets
// only a share of the 5 % error probability of a 95 % interval (alpha spending: Lan and DeMets,
// "Discrete sequential boundaries for clinical trials", 1983, with the linear spending function).
// Looks come when 1/16, 1/8, 1/4, 1/2 and all of the budget are spent, of the seconds or of
// max_rounds, whichever is nearer; the share of a look is the share of the budget spent since the
// look before: 5/16, 5/16, 5/8, 5/4 and 5/2 %. The probability that the interval of any look misses
// is at most their sum, 5 %, however the looks are correlated and whichever was the last; the last
// interval is only 1.14 times as wide as that of a single look (2.24 / 1.96 standard errors). The
// interval of a look is exact for independent rounds of any distribution (MedianInterval in
// src/base/sign_test.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

struct PairedRoundsOptions {
  double warm_up_s = 0.02;  // each participant runs this long, and...
  int warm_up_runs = 3;     // ...this often, before anything counts
  // No run warms up once those before it took so long: of a slow network one is enough.
  double most_warm_up_s = std::numeric_limits<double>::infinity();
  // A sample is a batch of runs that takes about this long (0.5 to 2 ms: shorter ones suffer from
  // the clock and the cache state, longer ones from drift within a round). Where the budget is too
  // small for both, a warm-up takes at most half of it, and a sample a fiftieth.
  double batch_target_s = 1e-3;
  int min_rounds = 10;
  // Rounds behind the second are required only as long as those before them took less than this: a
  // slow network gets few, and its interval says what they tell.
  double min_rounds_s = std::numeric_limits<double>::infinity();
  int max_rounds = 2000;
  // Stops when the interval of every candidate is at most this wide on each side, relative.
  double target_half_width = 0.005;
  // Stops when the interval of every candidate lies above this ratio: the race is lost.
  double give_up_above = std::numeric_limits<double>::infinity();
  // Stops when the samples have taken this long in all (warm-up included, min_rounds still hold).
  double budget_s = 2.0;
  // Networks whose anchor takes longer than slow_run_s get slow_budget_factor times the budget: 2 s
  // would give fewer than the 40 pairs that they need.
  double slow_run_s = 0.05;
  double slow_budget_factor = 5;
  std::uint64_t seed = 1;
  // Asked after each run of the warm-up and each round; true ends the measurement, whose interval
  // is then that of the rounds until then. Empty: nothing else ends it.
  std::function<bool()> stop_requested = {};
};

// Runs participant `which` `runs` times in a row and returns the seconds that took. Participants
// 0 .. candidates - 1 are the candidates, participant `candidates` is the anchor.
using TimedRuns = std::function<double(std::size_t which, std::int64_t runs)>;

// One Latency per candidate; all have the same number of samples, none where it was stopped before
// the end of the first round. Deterministic for a given seed
// and given times. Requires at least one candidate and positive times.
std::vector<Latency> MeasurePairedRounds(std::size_t candidates, const TimedRuns& timed_runs,
                                         const PairedRoundsOptions& options = {});

}  // namespace halftone
