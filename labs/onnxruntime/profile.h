// Profile of a network in halftone and in ONNX Runtime: time by operator type for both, and by node
// for halftone with the work of each node.
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
  int nodes = 12;  // of halftone, the slowest first
};

// Microseconds of a run by operator type; a step that is not a node's own counts as "Cast".
using MicrosecondsByType = std::map<std::string, double>;

// Median by node, summed by type. The runtime writes its profile to a file, which is read and
// removed; its fused operators have names of their own ("FusedConv").
MicrosecondsByType ProfileRuntime(const OrtApi& api, std::string_view model,
                                  const std::map<std::string, Tensor>& inputs,
                                  const ProfileOptions& options);

// A table: types, then nodes with kernel, share, GFLOP/s and GB/s.
std::string ProfileTable(const Graph& graph, const Executable& executable,
                         std::span<const Tensor> inputs, const MicrosecondsByType& theirs,
                         const ProfileOptions& options);

}  // namespace halftone
