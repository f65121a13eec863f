// Paired rounds: compares the latency of candidates with that of an anchor. It has no clock of its
// own: the caller passes the function that runs and times, so that tests can give any times.
//
// Observed on the development machine: the speed of a core drifts by 3 % (compute) to 15 % (memory)
// within a minute; single samples take up to 2.8 times as long when another process wants the core;
// and the minimum of many samples is a lucky shot that repeats worse than the median.
// So candidates and anchor run one after the other in rounds, in shuffled order and, in the next
// round, in the reverse order (AB BA), which cancels linear drift. Each round gives one ratio per
// candidate, and the estimate is the median of the ratios. Two seconds of this resolve 0.3 %; two
// seconds of timing one participant after the other resolve 5 %. The protocol:
// docs/internals/latency.md.
//
// The interval is computed at several looks. Each look may end the measurement, so each gets only a
// share of the 5 % error probability of a 95 % interval (alpha spending: Lan and DeMets, "Discrete
// sequential boundaries for clinical trials", 1983, with the linear spending function). A look
// comes when 1/16, 1/8, 1/4, 1/2 and all of the budget is spent, in seconds or in max_rounds,
// whichever is first. Its share is proportional to the budget spent since the previous look: 5/16,
// 5/16, 5/8, 5/4 and 5/2 %. The probability that the interval of any look misses is at most the sum
// of the shares, 5 %, however the looks are correlated and whichever is the last. The last interval
// is only 1.14 times as wide as that of a single look (2.24 / 1.96 standard errors). The interval
// of a look is exact for independent rounds of any distribution (MedianInterval in
// src/base/sign_test.h). With fewer rounds than that needs (six for 95 %), as for a slow network,
// it is Student's interval of the logarithms of the ratios, at least their range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

struct PairedRoundsOptions {
  // Least time and least number of runs of the warm-up of each participant.
  double warm_up_s = 0.02;
  int warm_up_runs = 3;
  // The warm-up of a participant ends once it took this long: for a slow network, one run is
  // enough.
  double most_warm_up_s = std::numeric_limits<double>::infinity();
  // A sample is a batch of runs that takes about this long. Useful values are 0.5 to 2 ms: shorter
  // samples suffer from the clock and the cache state, longer ones from drift within a round. With
  // a small budget, the warm-up takes at most half of the budget and a sample at most a fiftieth.
  double batch_target_s = 1e-3;
  int min_rounds = 10;
  // Rounds after the second (kFewestRounds) are required by min_rounds only while the rounds before
  // took less than this in all: a slow network gets few rounds and a wider interval.
  double min_rounds_s = std::numeric_limits<double>::infinity();
  int max_rounds = 2000;
  // Stops when the half-width of the interval of every candidate is at most this, relative to its
  // ratio.
  double target_half_width = 0.005;
  // Stops when the interval of every candidate lies above this ratio, because the race is lost.
  double give_up_above = std::numeric_limits<double>::infinity();
  // Stops when all runs have taken this long, warm-up included, and min_rounds are done.
  double budget_s = 2.0;
  // If a run of the anchor takes longer than slow_run_s, the budget is multiplied by
  // slow_budget_factor: 2 s would give fewer than the 40 pairs that an interval needs.
  double slow_run_s = 0.05;
  double slow_budget_factor = 5;
  std::uint64_t seed = 1;
  // Called after each warm-up run and each round; true ends the measurement with the interval of
  // the rounds so far. Empty: never stops.
  std::function<bool()> stop_requested = {};
};

// Least number of rounds of LatencySource::Race() unless runs take long: the fewest rounds that
// give an interval of 95 %.
inline constexpr int kQuickRounds = 6;

// Rounds that are always measured: both orders once, so a linear drift cancels.
inline constexpr int kFewestRounds = 2;

// Least number of runs of each of two participants, in warm-up and required rounds, if a run takes
// `run_s` seconds; 0: short runs.
int LeastRuns(const PairedRoundsOptions& options, double run_s);

// Runs participant `which` `runs` times in a row, and returns the seconds that this took.
// Participants 0 to candidates - 1 are the candidates; participant `candidates` is the anchor.
using TimedRuns = std::function<double(std::size_t which, std::int64_t runs)>;

// Returns one Latency per candidate, all with the same number of samples. They have no samples if
// the measurement was stopped before the end of the first round. Deterministic for a given seed and
// given times. Requires at least one candidate and positive times.
std::vector<Latency> MeasurePairedRounds(std::size_t candidates, const TimedRuns& timed_runs,
                                         const PairedRoundsOptions& options = {});

// Latency of the anchor, which is participant 0 of timed_runs(), without any candidate: a warm-up
// and the required rounds. The ratio and its interval are 1, and both participants have the same
// samples; there are none if the measurement was stopped before the end of the first round.
Latency MeasureAnchor(const TimedRuns& timed_runs, const PairedRoundsOptions& options = {});

}  // namespace halftone
