// Kernels that a session of ONNX Runtime ran, from the profile that it writes. They prove the types
// in which operators ran, and have their times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct OrtKernel {
  std::string node;  // name in the optimised graph of the runtime
  std::string op;    // type in that graph: "QLinearConv", "FusedConv"
  std::string provider;
  std::vector<std::string> input_types;  // "float", "float16", "uint8"
  std::vector<std::string> output_types;
  std::int64_t elements = 0;  // of its first output
  double seconds = 0;         // median over its runs

  friend bool operator==(const OrtKernel&, const OrtKernel&) = default;
};

// Kernels of a profile (an array of events, the Trace Event Format), in order of their first run.
// Error kUnsupported: `json` is no such array, or has no kernel.
std::vector<OrtKernel> ReadOrtProfile(std::string_view json);

}  // namespace halftone
