// Finds the fastest kernel of every operator of a network by running the whole network, with one
// candidate kernel per operator in each variant of it. It has no clock and no network of its own:
// the caller passes an OperatorTimer that runs a variant and times each operator, so that tests can
// plant the truth.
//
// Observed: weights that stay in the cache make a matrix-vector product 2.7 times as fast as in its
// network; the speed of a core drifts by 3 to 15 % within a minute; the place of its buffers makes
// a kernel 1 % (memory-bound: 3 %) faster for as long as they live; and the best of several noisy
// numbers looks too good. So:
// - Operators are timed where they stand in the network, never alone.
// - Variant 0 has the static order throughout; variant k has the k-th candidate of every operator
//   (its static one where it has fewer). All run in rounds, in shuffled order and in the next round
//   in the reverse of it; a round gives one ratio to the static order per candidate. Operators with
//   equal signatures are one operator: their times in a run are added.
// - Racing: a candidate that cannot win any more, or is slower than another one, is out; a variant
//   without candidates is dropped.
// - Winners run once more, all together against the static order, with buffers of their own. What
//   is reported comes from these rounds alone, and who does not win them too is not chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/operators/operator_timing.h"

namespace halftone {

// An operator of the network with at least two kernels to choose from.
struct ContestedOperator {
  std::string signature;
  std::vector<std::string> kernels;  // the static order's first
  bool memory_bound = false;
  int count = 1;  // steps of the network that are this operator
};

// A kernel for every operator: indices into ContestedOperator::kernels.
using KernelAssignment = std::vector<std::size_t>;

struct OperatorSample {
  std::vector<double> operator_s;  // per operator: seconds in one run of the network, all its steps
  double spent_s = 0;              // the whole sample, including untimed runs
};

// Runs variants of a network. Tests plant times; search/operators/network_operator_timer.h runs.
class OperatorTimer {
 public:
  virtual ~OperatorTimer() = default;
  // Compiles variants, with buffers of their own, and drops the previous ones.
  virtual void Prepare(std::span<const KernelAssignment> variants) = 0;
  virtual OperatorSample TakeSample(std::size_t variant) = 0;
  // Frees a variant that will not be sampled again.
  virtual void Drop(std::size_t variant) = 0;
};

struct OperatorTunerOptions {
  // Seconds of samples: three quarters for the race, a quarter for the winners; min_rounds take
  // precedence.
  double budget_s = 4.0;
  int min_rounds = 10;
  int max_rounds = 400;
  double target_half_width = 0.005;  // relative half-width of an interval that is narrow enough
  // A choice must be faster by more than this (docs/internals/latency.md, "Operators").
  double tie = 0.01;
  double memory_bound_tie = 0.03;  // also for operators that take less than short_s
  double short_s = 20e-6;  // an observed step costs up to 0.1 us more: below this 0.5 % or more
  std::uint64_t seed = 1;
};

struct OperatorTunerProgress {
  std::string profiled;     // operator whose machine profile is measured; empty: none
  bool confirming = false;  // the winners run once more
  std::size_t decided = 0;
  std::size_t operators = 0;
  double spent_s = 0;
  double budget_s = 0;
};

struct OperatorTunerHooks {
  std::function<void(const OperatorTunerProgress&)> on_progress;  // after each round
  std::function<bool()> stop_requested;                           // asked between rounds
};

// One timing per operator, in order. After a stop only the decided ones, without those that have
// won only the race. Deterministic for a given seed and given times.
std::vector<OperatorTiming> TuneOperators(std::span<const ContestedOperator> operators,
                                          OperatorTimer& timer,
                                          const OperatorTunerOptions& options = {},
                                          const OperatorTunerHooks& hooks = {});

}  // namespace halftone
