// Growth of a plan's error along the network: every result is compared with its float32 result.
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

// Error of one node that is no cast.
struct NodeError {
  std::string node;
  // Error power divided by the power of the float32 result, over all samples and floating results;
  // that of elements set apart if it is larger (RelativeErrorPower()). Empty: the float32 result is
  // zero everywhere, or no result is floating.
  std::optional<double> relative_power;
  bool broken = false;  // an element is infinite or NaN where float32's is finite
  std::vector<std::string> parts =
      {};  // other nodes of the same step, whose results are not computed on their own
};

struct ErrorGrowthOptions {
  // Bytes of float32 results that are cached; a network that needs more runs several times.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
};

// Errors in the order in which the executable runs the nodes. Both executables are compiled from
// `graph`, and results are compared in their own buffers. A result that the reference does not
// compute is left out, so compile it with CompileOptions::fuse false.
std::vector<NodeError> ErrorGrowth(const Graph& graph, const Executable& executable,
                                   const Executable& reference, std::span<const Sample> samples,
                                   const ThreadPool& pool, const ErrorGrowthOptions& options = {});

}  // namespace halftone
