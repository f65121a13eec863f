// Products of a plan in fewer bits, and the kernels of ONNX Runtime that ran them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/runtimes/onnxruntime/ort_profile.h"

namespace halftone {

// Numbers of operators by the types that they ran in.
struct LowKernels {
  std::int64_t asked = 0;           // products that the plan has in fewer bits
  std::int64_t ran = 0;             // product kernels on operands in fewer bits
  std::vector<std::string> others;  // providers beside the first one that ran kernels, with counts

  friend bool operator==(const LowKernels&, const LowKernels&) = default;
};

// Compares kernels with a plan. Only products count (Conv, MatMul, Gemm and the like): in a plan in
// 8 bits, other operators are float operators between DequantizeLinear and QuantizeLinear where the
// runtime has no integer kernel, which gives the same numbers.
LowKernels CompareKernels(const Graph& network, const PrecisionPlan& plan,
                          const std::vector<OrtKernel>& kernels);

}  // namespace halftone
