// Steps of a plan that more than one kernel serves: the candidates of operator tuning.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/exec/call_shape.h"
#include "src/exec/executable.h"

namespace halftone {

struct TunableStep {
  std::size_t step = 0;  // index into Executable::steps() of the same graph, plan and options
  std::string node;      // of the graph
  std::string op;
  std::string signature;
  std::vector<std::string> kernels;  // as KernelCandidates() orders them: the static choice first
  // Memory decides its time, not arithmetic. True for every operator that is no product, and for a
  // product whose largest operand has more than 16 elements for each element of the result (few
  // rows).
  bool memory_bound = false;
  std::vector<std::string> parts = {};  // nodes of the network that it computes; none for casts
  std::optional<CallShape> shape = {};  // empty: no machine profile compares its kernels
};

// Steps that at least `least_kernels` kernels serve, in order. Their signatures are those of
// networks that run on `threads` threads.
std::vector<TunableStep> TunableSteps(const Graph& graph, const PrecisionPlan& plan, int threads,
                                      const CompileOptions& options = {},
                                      std::size_t least_kernels = 2);

}  // namespace halftone
