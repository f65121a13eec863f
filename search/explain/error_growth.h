// Growth of a plan's error along the network: every result is compared with the float32 result of
// the same node.
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

// Error of one node; casts are left out.
struct NodeError {
  std::string node;
  // Error power over the power of the float32 result, over all samples and floating results; or
  // that ratio of the elements set apart, if it is larger (RelativeErrorPower()). Empty if the
  // float32 result is zero everywhere, or if no result is floating.
  std::optional<double> relative_power;
  bool broken = false;  // an element is infinite or NaN where that of float32 is finite
  // Other nodes of the same step; their results are not computed on their own.
  std::vector<std::string> parts = {};
};

struct ErrorGrowthOptions {
  // Bytes of float32 results that are cached. A network that needs more runs several times.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
};

// Errors of the nodes, in the order in which the executable runs them. Both executables must be
// compiled from `graph`. A result that `reference` does not compute is left out, so compile it with
// CompileOptions::fuse false.
std::vector<NodeError> ErrorGrowth(const Graph& graph, const Executable& executable,
                                   const Executable& reference, std::span<const Sample> samples,
                                   const ThreadPool& pool, const ErrorGrowthOptions& options = {});

}  // namespace halftone
