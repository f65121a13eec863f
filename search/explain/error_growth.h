// Growth of a plan's error along the network: every result compared with float32's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"

namespace halftone {

// Error of one node, casts left out.
struct NodeError {
  std::string node;
  // Error power divided by the power of float32's result, over all samples and floating results, or
  // that of elements set apart where it is larger (RelativeErrorPower());
  // empty: float32's is zero everywhere, or no result is floating.
  std::optional<double> relative_power;
  bool broken = false;  // an element is infinite or NaN where float32's is finite
  std::vector<std::string> parts =
      {};  // other nodes of the same step, inside which there is no result
};

struct ErrorGrowthOptions {
  // Cache size for float32 results; a network that needs more runs several times.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
};

// Errors in the order in which the executable runs the nodes. Both executables are of `graph`;
// results are compared in the buffers of these executables, which are those shipped. Results that
// the reference does not compute are left out: compile it with CompileOptions::fuse false.
std::vector<NodeError> ErrorGrowth(const Graph& graph, const Executable& executable,
                                   const Executable& reference, std::span<const Sample> samples,
                                   const ThreadPool& pool, const ErrorGrowthOptions& options = {});

}  // namespace halftone
