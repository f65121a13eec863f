// Bias correction of a whole plan: the bias of each product in 8 bits subtracts the mean error of
// its result. The product runs on the operands that the plan computes, with its predecessors
// corrected.
//
// Means of rounding errors add up in amplitude, their zero-mean remainders in power, so that layers
// shifted the same way lose most (source: Nagel et al., 2019). Correcting each product on float32
// operands (bias_shifts.h) leaves the shifts of its predecessors.
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

// Largest number of samples that are used, evenly spaced from the first.
inline constexpr std::size_t kSequentialSamples = 16;

// Corrects plans of one network. Not thread safe.
class SequentialCorrection {
 public:
  // `graph` and `pool` must outlive it. The constructor runs nothing. Memory from the first plan
  // on: the inputs of the samples and their channel means. While a plan is corrected, also the
  // values that later steps read, for all samples.
  SequentialCorrection(const Graph& graph, const Dataset& samples, const CompileOptions& compile,
                       const ThreadPool& pool);
  ~SequentialCorrection();
  SequentialCorrection(const SequentialCorrection&) = delete;
  SequentialCorrection& operator=(const SequentialCorrection&) = delete;

  // Returns `plan`, a plan of the graph, with new bias shifts for its products in qint8; returns it
  // unchanged if it has no such product, or if there are no samples.
  //
  // The shift of a channel is ShiftOf() the differences between its means in float32 and in the
  // plan (search/calibrate/channel_means.h). Deterministic, whatever the number of threads. The
  // first call runs float32 too.
  PrecisionPlan Corrected(const PrecisionPlan& plan);

  // Cost so far, in runs of the network on one sample, with equal weight for every operator. A
  // sample costs 1 for float32, once, and for each plan at most 1 plus the share of operators that
  // are products.
  [[nodiscard]] double runs() const { return runs_; }

 private:
  struct Product;

  // Values of one sample that later steps read.
  using Values = std::map<ValueId, Tensor>;

  void MeasureFloats();
  // The product alone, in 8 bits with a float32 result and without a shift.
  const LoneNodes& Alone(Product& product, const PrecisionPlan& plan);
  // Shifts of a product on the values that the plan computes, one map a sample.
  std::vector<float> ShiftsOf(Product& product, const PrecisionPlan& plan,
                              const std::vector<Values>& values);
  // Products in qint8, by step; empty if the plan has none.
  std::vector<std::vector<Product*>> ProductsInt8(const PrecisionPlan& plan) const;
  void RunStep(std::size_t step, const PrecisionPlan& plan, std::vector<Values>& values) const;
  // Flag for each step: true if a corrected product follows it.
  std::vector<bool> StepsBefore(const std::vector<std::vector<Product*>>& products) const;

  const Graph& graph_;
  Dataset samples_;
  CompileOptions compile_;
  const ThreadPool& pool_;
  NetworkSteps steps_;
  Graph step_graph_;
  std::vector<std::unique_ptr<Product>> products_;
  std::vector<Values> inputs_;  // per sample
  Hash128 scales_{};            // digest of the scales that the products are compiled with
  double runs_ = 0;
};

}  // namespace halftone
