// Finds the fastest kernel of every operator of a network. It runs the whole network in variants,
// each with one candidate kernel per operator. The tuner has no clock and no network of its own:
// the caller passes an OperatorTimer that runs a variant and times each operator, so that tests can
// give any times.
//
// Observed: weights that stay in the cache make a matrix-vector product 2.7 times as fast as in its
// network; the speed of a core drifts by 3 to 15 % within a minute; the addresses of buffers make a
// kernel 1 % (memory-bound: 3 %) faster for as long as the buffers live; and the best of several
// noisy numbers looks too good. So:
// - Operators are timed where they stand in the network, never alone.
// - Variant 0 has the first kernel of every operator in the static order. Variant k has the k-th
//   candidate of every operator, or the static kernel if there are fewer candidates. All variants
//   run in rounds, in shuffled order and in the next round in the reverse order. Each round gives
//   one ratio per candidate: its time over that of the static kernel. Steps with equal signatures
//   are one operator: their times in a run are added.
// - Racing: a candidate is dropped when it can no longer win, or when it is slower than another
//   one. A variant without candidates is dropped, too.
// - The winners run once more, all together in one variant with new buffers, against the static
//   kernels. Reports use these rounds alone, and a kernel that does not win them is not chosen.
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
  std::vector<std::string> kernels;  // the kernel of the static order first
  bool memory_bound = false;
  int count = 1;  // number of steps that are this operator
};

// A kernel for every operator: indices into ContestedOperator::kernels.
using KernelAssignment = std::vector<std::size_t>;

struct OperatorSample {
  std::vector<double> operator_s;  // per operator: seconds of all its steps in one run
  double spent_s = 0;              // seconds of the whole sample, including untimed runs
};

// Interface that runs variants of a network. NetworkOperatorTimer
// (search/operators/network_operator_timer.h) runs the network; tests return given times.
class OperatorTimer {
 public:
  virtual ~OperatorTimer() = default;
  // Compiles variants, each with its own buffers, and drops the previous variants.
  virtual void Prepare(std::span<const KernelAssignment> variants) = 0;
  // Runs a variant for a while and returns the times of the operators.
  virtual OperatorSample TakeSample(std::size_t variant) = 0;
  // Frees a variant that will not be sampled again.
  virtual void Drop(std::size_t variant) = 0;
};

struct OperatorTunerOptions {
  // Seconds of samples: three quarters for the race, a quarter for the winners. min_rounds take
  // precedence over the budget.
  double budget_s = 4.0;
  int min_rounds = 10;
  int max_rounds = 400;
  double target_half_width = 0.005;  // relative half-width of an interval that is narrow enough
  // Least relative gain over the static kernel with which another kernel is chosen
  // (docs/internals/latency.md, "Operators").
  double tie = 0.01;
  double memory_bound_tie = 0.03;  // also for operators that take less than short_s
  double short_s = 20e-6;          // reading the clock costs a step up to 0.1 us, 0.5 % of this
  std::uint64_t seed = 1;
};

struct OperatorTunerProgress {
  std::string profiled;     // operator whose machine profile is measured; empty: none
  bool confirming = false;  // true: the winners run once more
  std::size_t decided = 0;
  std::size_t operators = 0;
  double spent_s = 0;
  double budget_s = 0;
};

struct OperatorTunerHooks {
  std::function<void(const OperatorTunerProgress&)> on_progress;  // after each round
  std::function<bool()> stop_requested;  // called between rounds; true stops the tuning
};

// One timing per operator, in order. After a stop, only operators that are decided have one; a
// winner of the race is decided only after its confirmation. Deterministic for a given seed and
// given times.
std::vector<OperatorTiming> TuneOperators(std::span<const ContestedOperator> operators,
                                          OperatorTimer& timer,
                                          const OperatorTunerOptions& options = {},
                                          const OperatorTunerHooks& hooks = {});

}  // namespace halftone
