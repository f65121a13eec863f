// How the error of a plan grows along the network: every result against float32's.
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

// Of one node, casts left out.
struct NodeError {
  std::string node;
  // Power of the error over that of float32's result, over all samples and all floating results;
  // empty: float32's is zero everywhere, or nothing floating is made.
  std::optional<double> relative_power;
  bool broken = false;  // an element is infinite or NaN where float32's is finite
  std::vector<std::string> parts =
      {};  // other nodes of the same step, inside which there is no result
};

struct ErrorGrowthOptions {
  // Of float32 results that are kept at a time; a network that needs more is run several times.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
};

// In the order the executable runs the nodes. Both are of `graph`; results are compared as they
// lie in the buffers of these very executables, so what is shipped is what is looked at. Results
// that the reference does not make are left out: compile it with CompileOptions::fuse false.
std::vector<NodeError> ErrorGrowth(const Graph& graph, const Executable& executable,
                                   const Executable& reference, std::span<const Sample> samples,
                                   const ThreadPool& pool, const ErrorGrowthOptions& options = {});

}  // namespace halftone
