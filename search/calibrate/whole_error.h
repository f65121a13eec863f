// Error at the outputs of a network in 8 bits with float ends.
#pragma once

#include <functional>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"
#include "src/quantization/quantization.h"

namespace halftone {

// Compares quantisations of one network by the error of Int8PlanWithFloatEnds(), which is a start
// point of the search.
class WholeError {
 public:
  // Runs the network once in float32 on each sample. `graph`, `samples` and `pool` must outlive it.
  // `on_sample` is called after each run, here and in Of(); if it returns false, no time is left
  // for another run.
  WholeError(const Graph& graph, const Dataset& samples, const CompileOptions& compile,
             const ThreadPool& pool, std::function<bool()> on_sample);

  // Runs the plan of `quantization` once on each sample. Returns the mean over the samples of the
  // error power of the float outputs relative to their power, summed over these outputs. Infinite
  // if the plan does not compile, or if time runs out before the last sample.
  [[nodiscard]] double Of(const Quantization& quantization) const;

 private:
  // Outputs of an executable on a sample. Sets goes_on_.
  [[nodiscard]] std::vector<Tensor> Outputs(const Executable& executable, std::size_t sample) const;

  const Graph& graph_;
  const Dataset& samples_;
  CompileOptions compile_;
  const ThreadPool& pool_;
  std::function<bool()> on_sample_;
  mutable bool goes_on_ = true;
  std::vector<std::vector<Tensor>> exact_;  // per sample
};

}  // namespace halftone
