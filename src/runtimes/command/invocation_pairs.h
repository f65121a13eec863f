// Compares the latency of a candidate with that of float32 where each look at either is the
// invocation of a program, which takes seconds and reports a few runs.
//
// Invocations come in pairs, of candidate and float32 in a random order, and the next pair in the
// reverse of it (AB BA), so that a linear drift of the machine cancels over two pairs. Each pair
// gives one ratio, of the medians of both; the estimate is their median. Its 95 % interval is
//
//   from about 6 pairs on    between order statistics of the ratios: exact for independent pairs of
//                            any distribution (MedianInterval in src/base/sign_test.h)
//   of fewer pairs           the wider end, on each side, of two intervals:
//     between invocations    mean of the logarithms of n ratios +- t sigma sqrt(2 / n), Student,
//                            with sigma the spread of the logarithm of the median from one
//                            invocation of a plan to the next, of the whole session
//     within them            from the order statistics of all runs of both sides: the ratio of the
//                            limits of two medians, each missed with half the probability; where
//                            both sides have runs enough
//
// sigma assumes that plans spread alike and logarithms are about normal; it comes from successive
// differences, so that slow drift does not count as spread, and drift between two looks at float32
// does (von Neumann, Kent, Bellinson and Hart, "The mean square successive difference", 1941: k
// differences that share neighbours have some 2 k / 3 degrees of freedom). A tool that reports one
// median has no spread within invocations; sigma, which holds the spread of medians, still does.
//
// Looks at 1, 2, 4, ... and all planned pairs may end the measurement and share the 5 % in
// proportion (search/measure/paired_rounds.h).
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
  double wall_s = 0;                // that it took, without compilation
};

// Spread of the median from one invocation to the next.
class InvocationSpread {
 public:
  // Two successive medians of one plan.
  void Add(double median_s, double next_median_s);

  [[nodiscard]] bool is_known() const { return !squares_.empty(); }

  // Standard deviation of the logarithm of a median; 0: not known.
  [[nodiscard]] double sigma() const;

  [[nodiscard]] int freedom() const;

  // Pairs that give an interval of +-1 %, which is a tie (docs/internals/latency.md); 1 to 6, 2
  // where the spread is not known.
  [[nodiscard]] int Repeats() const;

 private:
  std::deque<double> squares_;  // of the last differences of logarithms
};

struct InvocationPairsOptions {
  // Seconds that invocations may take; Repeats() pairs are measured in any case.
  double budget_s = 2.0;
  double give_up_above = std::numeric_limits<double>::infinity();  // Latency::raced
  double target_half_width = 0.005;  // the measurement ends with an interval of +- this, relative
  int most_pairs = 100;
  std::uint64_t seed = 1;
};

// Invokes the candidate (true) or float32 (false); empty: it does not run, and the comparison ends.
using InvokeSide = std::function<std::optional<Invocation>(bool candidate)>;

// Adds to `spread`, and to `last_reference_s`, the median of the last invocation of float32 (0:
// there was none). Latency::*_samples_s hold the median of each invocation. Empty: `invoke` said
// so.
std::optional<Latency> MeasureInvocationPairs(const InvokeSide& invoke, InvocationSpread& spread,
                                              double& last_reference_s,
                                              const InvocationPairsOptions& options = {});

}  // namespace halftone
