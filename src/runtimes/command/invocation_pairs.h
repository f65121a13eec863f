// Compares the latency of a candidate with that of float32 by invocations of a program. An
// invocation takes seconds and reports a few runs.
//
// Each pair is an invocation of the candidate and one of float32. An odd pair has a random order,
// and the pair behind it has the reverse order (AB BA), so that a linear drift of the machine
// cancels over two pairs. A pair gives one ratio, that of the medians of its invocations; the
// estimate is the median of the ratios. Its 95 % interval is
//
//   from about 6 pairs on    between order statistics of the ratios: exact for independent pairs of
//                            any distribution (MedianInterval in src/base/sign_test.h)
//   with fewer pairs         the smallest that holds two intervals:
//     between invocations    mean of the logarithms of n ratios +- t sigma sqrt(2 / n), with
//                            Student's t; sigma is the standard deviation of the logarithm of a
//                            plan's median from one invocation to the next, over the session
//     within invocations     quotient of the limits of two medians, by order statistics of all runs
//                            of a side, each missed with half the probability; only if both sides
//                            have enough runs
//
// sigma assumes that plans spread alike and that logarithms are about normal. It comes from
// successive differences, so that slow drift does not count as spread; drift between two looks at
// float32 does count. k differences that share neighbours have some 2 k / 3 degrees of freedom (von
// Neumann, Kent, Bellinson and Hart, "The mean square successive difference", 1941). A tool that
// reports one median has no spread within invocations, but sigma still holds the spread of its
// medians.
//
// Looks at 1, 2, 4, ... and all planned pairs may end the measurement. They share the 5 % in
// proportion to their pairs (search/measure/paired_rounds.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

struct Invocation {
  std::vector<double> latencies_s;  // one or more, positive
  double wall_s = 0;                // seconds that it took, without compilation
};

// Spread of the median from one invocation to the next.
class InvocationSpread {
 public:
  // Adds two successive medians of one plan.
  void Add(double median_s, double next_median_s);

  [[nodiscard]] bool is_known() const { return !squares_.empty(); }

  // Standard deviation of the logarithm of a median; 0 if it is not known.
  [[nodiscard]] double sigma() const;

  // Degrees of freedom of sigma().
  [[nodiscard]] int freedom() const;

  // Number of pairs, from 1 to 6, that give an interval of +-1 %, which is a tie
  // (docs/internals/latency.md). 2 if the spread is not known.
  [[nodiscard]] int Repeats() const;

 private:
  std::deque<double> squares_;  // of the latest differences of logarithms
};

struct InvocationPairsOptions {
  // Seconds that invocations may take; Repeats() pairs are measured in any case.
  double budget_s = 2.0;
  double give_up_above = std::numeric_limits<double>::infinity();  // Latency::raced
  // The measurement ends once the interval is at most this wide on each side, relative.
  double target_half_width = 0.005;
  int most_pairs = 100;
  std::uint64_t seed = 1;
};

// Invokes the candidate (true) or float32 (false). Empty if it does not run; the comparison then
// ends.
using InvokeSide = std::function<std::optional<Invocation>(bool candidate)>;

// Measures pairs, and adds their spread to `spread`. `last_reference_s` is the median of the last
// invocation of float32 (0: there was none); the call updates it. Latency::candidate_samples_s and
// anchor_samples_s hold the median of each invocation. Empty if `invoke` returned empty.
std::optional<Latency> MeasureInvocationPairs(const InvokeSide& invoke, InvocationSpread& spread,
                                              double& last_reference_s,
                                              const InvocationPairsOptions& options = {});

}  // namespace halftone
