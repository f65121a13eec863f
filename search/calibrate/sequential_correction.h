// Bias correction of a whole plan: the mean error that each product in 8 bits makes on what the
// plan itself hands to it, its predecessors corrected, is taken off by its bias.
//
// Rests of rounding errors add up in power, means in amplitude, so that layers shifted the same way
// lose most (spec: Nagel et al., 2019); correcting each product on float32 operands
// (bias_shifts.h) leaves what its predecessors shift.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "kernels/parallel.h"
#include "search/calibrate/float_values.h"
#include "search/space/network_steps.h"
#include "src/accuracy/dataset.h"
#include "src/base/hash.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Samples of which the first, evenly spaced, are used.
inline constexpr std::size_t kSequentialSamples = 16;

// Corrects plans of one network. Not thread safe.
class SequentialCorrection {
 public:
  // `graph` and `pool` must outlive it. Runs nothing. Memory, from the first plan on: the inputs of
  // the samples and their means of each channel; while a plan is corrected, the values of all
  // samples that later steps read.
  SequentialCorrection(const Graph& graph, const Dataset& samples, const CompileOptions& compile,
                       const ThreadPool& pool);
  ~SequentialCorrection();
  SequentialCorrection(const SequentialCorrection&) = delete;
  SequentialCorrection& operator=(const SequentialCorrection&) = delete;

  // `plan`, of the graph, with bias shifts for its products in qint8 in place of those that its
  // quantisation has; the plan itself where it has no such product, or there are no samples.
  //
  // Per channel: ShiftOf() the differences of the means of float32 and of the plan
  // (search/calibrate/channel_means.h).
  // Deterministic, whatever the number of threads. The first call runs float32 too.
  PrecisionPlan Corrected(const PrecisionPlan& plan);

  // Cost so far in runs of the network on one sample, each operator weighing the same: a sample
  // costs 1 in float32 once, and at most 1 and the share of the products in each plan.
  [[nodiscard]] double runs() const { return runs_; }

 private:
  struct Product;

  // Values of one sample that later steps read.
  using Values = std::map<ValueId, Tensor>;

  void MeasureFloats();
  // The product alone, in 8 bits with a float32 result and without a shift.
  const LoneNodes& Alone(Product& product, const PrecisionPlan& plan);
  // On the values that the plan hands to it, one map a sample.
  std::vector<float> ShiftsOf(Product& product, const PrecisionPlan& plan,
                              const std::vector<Values>& values);
  // The products in qint8 of each step; empty: there is none in the plan.
  std::vector<std::vector<Product*>> ProductsInt8(const PrecisionPlan& plan) const;
  void RunStep(std::size_t step, const PrecisionPlan& plan, std::vector<Values>& values) const;
  // The steps behind which a product is that is corrected.
  std::vector<bool> StepsBefore(const std::vector<std::vector<Product*>>& products) const;

  const Graph& graph_;
  Dataset samples_;
  CompileOptions compile_;
  const ThreadPool& pool_;
  NetworkSteps steps_;
  Graph step_graph_;
  std::vector<std::unique_ptr<Product>> products_;
  std::vector<Values> inputs_;  // per sample
  Hash128 scales_{};            // of which the products are compiled
  double runs_ = 0;
};

}  // namespace halftone
