// The steps of a plan that more than one kernel can run: what operator tuning measures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/exec/executable.h"

namespace halftone {

struct TunableStep {
  std::size_t step = 0;  // index into Executable::steps() of the same graph, plan and options
  std::string node;      // of the graph
  std::string op;
  std::string signature;
  std::vector<std::string> kernels;  // the static order's first, as KernelCandidates()
  // Weights are read for few results (a product with a few rows), or data is only moved: memory
  // decides how long it takes.
  bool memory_bound = false;
  std::vector<std::string> parts = {};  // nodes of the network that it computes; of casts none
};

// In order. The signatures are those of networks that run on so many threads.
std::vector<TunableStep> TunableSteps(const Graph& graph, const PrecisionPlan& plan, int threads,
                                      const CompileOptions& options = {});

}  // namespace halftone
