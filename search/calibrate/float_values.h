// Float32 values of a network on one sample, and single nodes run on such values.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

// Samples on which operators run alone, and the questions whether time is left.
struct SampleRuns {
  const Dataset& samples;
  const CompileOptions& compile;
  const ThreadPool& pool;
  // Called after each sample. False: no time is left for another one.
  std::function<bool()> on_sample;
  // Called before each piece of work between two runs of the network. False: no time is left for
  // it. Empty: there is no limit.
  std::function<bool()> goes_on = {};
};

// Computes the float32 values of a graph, and the operands of the nodes that make them. `graph` and
// `pool` must outlive it.
class FloatValues {
 public:
  FloatValues(const Graph& graph, const CompileOptions& compile, const ThreadPool& pool);

  // All these values and the graph inputs on one sample, in the layout of the graph.
  [[nodiscard]] std::map<ValueId, Tensor> On(const Sample& sample) const;

 private:
  const Graph& graph_;
  const ThreadPool& pool_;
  std::vector<ValueId> made_;
  Graph whole_;
  Executable executable_;
};

// Runs a few nodes alone, in their own plan, on values that were computed before.
class LoneNodes {
 public:
  // Compiles `nodes` in the precision of `plan`, a plan of `graph`. Their operands and results are
  // float32. `nodes` are ascending, and each reads the result of the one before.
  LoneNodes(const Graph& graph, std::span<const NodeId> nodes, const PrecisionPlan& plan,
            const CompileOptions& compile);

  // The first result of the last node.
  [[nodiscard]] Tensor Run(const std::map<ValueId, Tensor>& values, const ThreadPool& pool) const;

 private:
  Graph part_;
  Executable executable_;
};

}  // namespace halftone
