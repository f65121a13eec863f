// Inputs of all runs of plans.
#pragma once

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

// Network, samples, threads and compile options. The objects that it refers to must outlive it.
struct NetworkSetup {
  const Graph& graph;
  const Dataset& dataset;  // timed runs take its first sample
  const ThreadPool& pool;
  const CompileOptions& compile;
};

}  // namespace halftone
