// Bias correction of a whole plan: the bias of each product in 8 bits is changed to subtract the
// mean error of its result. The product runs on the operands that the plan computes, with the
// products before it corrected.
//
// Means of rounding errors add up in amplitude, but their zero-mean remainders only in power, so
// layers whose errors shift in the same direction lose the most (source: Nagel et al., 2019). A
// correction of each product on float32 operands (bias_shifts.h) leaves the shifts of the products
// before it.
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
  // `graph` and `pool` must outlive it. The constructor runs nothing. From the first corrected plan
  // on, the object holds the inputs of the samples and the channel means of the products' results.
  // While a plan is corrected, it also holds the values that later steps read, for all samples.
  SequentialCorrection(const Graph& graph, const Dataset& samples, const CompileOptions& compile,
                       const ThreadPool& pool);
  ~SequentialCorrection();
  SequentialCorrection(const SequentialCorrection&) = delete;
  SequentialCorrection& operator=(const SequentialCorrection&) = delete;

  // Returns `plan`, a plan of the graph, with new bias shifts for its products in qint8. Returns it
  // unchanged if it has no such product, or if there are no samples.
  //
  // The shift of a channel is ShiftOf() of the differences between its means in float32 and in the
  // plan (search/calibrate/channel_means.h). The result does not depend on the number of threads.
  // The first call also runs float32.
  PrecisionPlan Corrected(const PrecisionPlan& plan);

  // Cost so far, in runs of the network on one sample, with equal weight for every operator. A
  // sample costs 1 run of float32 in all, and for each plan at most 1 run plus the share of
  // operators that are products.
  [[nodiscard]] double runs() const { return runs_; }

 private:
  struct Product;

  // Values of one sample that later steps read, by id.
  using Values = std::map<ValueId, Tensor>;

  // Runs float32 on all samples, at the first call only.
  void MeasureFloats();
  // The product alone, in 8 bits with a float32 result and without a shift; compiled once.
  const LoneNodes& Alone(Product& product, const PrecisionPlan& plan);
  // Shifts of a product on the values that the plan computes; `values` has one map per sample.
  std::vector<float> ShiftsOf(Product& product, const PrecisionPlan& plan,
                              const std::vector<Values>& values);
  // Products in qint8, by step; empty if the plan has none.
  std::vector<std::vector<Product*>> ProductsInt8(const PrecisionPlan& plan) const;
  // Runs a step on all samples and adds its results to `values`.
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
