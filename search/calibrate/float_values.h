// Values of a network in float32 on one sample.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

// Makes the float32 values of a graph, which must outlive it, and what their nodes read.
class FloatValues {
 public:
  FloatValues(const Graph& graph, const CompileOptions& compile, const ThreadPool& pool);

  // All of them, inputs of the graph included, in the graph's layout.
  [[nodiscard]] std::map<ValueId, Tensor> On(const Sample& sample) const;

 private:
  const Graph& graph_;
  const ThreadPool& pool_;
  std::vector<ValueId> made_;
  Graph whole_;
  Executable executable_;
};

// Nodes with a plan of their own, on values that others made.
class LoneNodes {
 public:
  // Runs `nodes`, ascending, each of which reads the one before, in the precision of `plan`, a plan
  // of `graph`; operands and results are float32.
  LoneNodes(const Graph& graph, std::span<const NodeId> nodes, const PrecisionPlan& plan,
            const CompileOptions& compile);

  // The first result of the last node.
  [[nodiscard]] Tensor Run(const std::map<ValueId, Tensor>& values, const ThreadPool& pool) const;

 private:
  Graph part_;
  Executable executable_;
};

}  // namespace halftone
