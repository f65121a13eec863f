// Measures plans on ONNX Runtime, in this process.
//
// A plan is exported, loaded with all optimisations, and timed in turns with the float32 network
// (search/measure/paired_rounds.h), inputs and outputs bound to the provider's memory. A second
// session with a profile tells which types its kernels ran in: MeasuredKernels() compares that with
// the plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/measure/runtime.h"
#include "src/ir/graph.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "src/runtimes/onnxruntime/ort_profile.h"
#include "src/runtimes/onnxruntime/ort_provider.h"
#include "src/runtimes/plan_files.h"

namespace halftone {

struct OrtOptions {
  std::filesystem::path library;
  std::vector<OrtProvider> providers;                       // in order of preference; none: the CPU
  std::vector<std::pair<std::string, std::string>> config;  // OrtSessionOptions::config
  int threads = 1;                                          // of the CPU
};

// "LIBRARY[,provider=NAME:KEY=VALUE:...][,config=KEY=VALUE]": what follows "ort:" in --measure.
// An empty LIBRARY is `HALFTONE_ORT`, or libonnxruntime.so.1 where the loader finds it. Error
// kUsage.
OrtOptions ParseOrtOptions(std::string_view text);

// The runtime with its library loaded. `timed`: inputs of the network by name that are timed.
// Errors as OrtApi.
std::unique_ptr<Runtime> MakeOrtRuntime(const Graph& network, const Sample& timed,
                                        PlanFilesWriter writer, OrtOptions options);

// Numbers of operators by the types that they ran in.
struct LowKernels {
  std::int64_t asked = 0;           // products that the plan has in fewer bits
  std::int64_t ran = 0;             // product kernels on operands in fewer bits
  std::vector<std::string> others;  // providers beside the first one that ran kernels, with counts

  friend bool operator==(const LowKernels&, const LowKernels&) = default;
};

// Compares kernels with a plan. Products count, Conv, MatMul, Gemm and those alike: other operators
// of a plan in 8 bits are float operators between DequantizeLinear and QuantizeLinear where the
// runtime has no integer kernel, which gives the same numbers.
LowKernels CompareKernels(const Graph& network, const PrecisionPlan& plan,
                          const std::vector<OrtKernel>& kernels);

}  // namespace halftone
