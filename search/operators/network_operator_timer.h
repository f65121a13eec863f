// Operator timer that runs the network: one executable per variant, and a clock that is read
// between steps.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "search/operators/operator_tuner.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/exec/tunable_steps.h"
#include "src/ir/graph.h"

namespace halftone {

// Operators in the order of their first step in the network. Steps with equal signatures are one
// operator.
std::vector<ContestedOperator> ContestedOperators(std::span<const TunableStep> steps);

// A run of at least this many seconds needs no untimed run before it. Memory delivers about 10 GB/s
// to a core, so such a run evicts its own data from every cache, and a run of another variant in
// between changes nothing.
inline constexpr double kCachedSeconds = 0.02;

// A plan of a network on one sample. The objects that it refers to must outlive it.
struct PlanOnSample {
  const Graph& graph;
  const PrecisionPlan& plan;
  const Sample& sample;
  const ThreadPool& pool;
  const CompileOptions& compile;  // its choices are for the threads of `pool`
};

class NetworkOperatorTimer : public OperatorTimer {
 public:
  // Steps that are not contested use the kernels of timed.compile. Runs of `cached_s` or longer
  // have no untimed run before them.
  NetworkOperatorTimer(const PlanOnSample& timed, std::span<const TunableStep> steps,
                       double cached_s = kCachedSeconds);
  ~NetworkOperatorTimer() override;

  // The contested operators of the steps.
  [[nodiscard]] std::span<const ContestedOperator> operators() const { return operators_; }

  void Prepare(std::span<const KernelAssignment> variants) override;
  // Runs the variant for about a millisecond, at least once. A network with a short run first runs
  // once untimed: its weights stay in the CPU cache from run to run, but another variant has
  // evicted them in between.
  OperatorSample TakeSample(std::size_t variant) override;
  void Drop(std::size_t variant) override;

 private:
  struct Variant;

  // Runs once and returns its seconds; adds the seconds of each operator to `operator_s`.
  double Run(Variant& variant, std::span<double> operator_s) const;

  PlanOnSample timed_;
  double cached_s_;
  std::vector<ContestedOperator> operators_;
  std::map<std::size_t, std::size_t> operator_of_step_;
  std::vector<std::unique_ptr<Variant>> variants_;
  double run_s_ = 0;  // the fastest run since Prepare()
};

}  // namespace halftone
