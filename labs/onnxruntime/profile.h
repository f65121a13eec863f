// Profile of a network in halftone and in ONNX Runtime. Both have times by operator type; halftone
// also has times by node, with the work of each node.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

struct ProfileOptions {
  int threads = 1;
  int runs = 30;
  int nodes = 12;  // number of nodes of halftone to list, the slowest first
};

// Microseconds of a run, by operator type. A step of halftone without a node counts as "Cast".
using MicrosecondsByType = std::map<std::string, double>;

// Profile of ONNX Runtime: medians by node, summed by type. The runtime writes a file, which is
// read and removed. Operators that it fuses have their own type names ("FusedConv").
MicrosecondsByType ProfileRuntime(const OrtApi& api, std::string_view model,
                                  const std::map<std::string, Tensor>& inputs,
                                  const ProfileOptions& options);

// Text with two tables: times of both programs by type; then nodes of halftone with kernel, share,
// GFLOP/s and GB/s.
std::string ProfileTable(const Graph& graph, const Executable& executable,
                         std::span<const Tensor> inputs, const MicrosecondsByType& theirs,
                         const ProfileOptions& options);

}  // namespace halftone
