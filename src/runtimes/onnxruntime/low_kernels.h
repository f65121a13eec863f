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
  std::int64_t asked = 0;  // products that the plan has in fewer bits
  std::int64_t ran = 0;    // kernels of products that read operands in fewer bits
  // Providers that ran kernels, with counts; empty if one provider ran all.
  std::vector<std::string> others;

  friend bool operator==(const LowKernels&, const LowKernels&) = default;
};

// Compares kernels with a plan. Only products count (Conv, MatMul, Gemm and the like). In a plan in
// 8 bits, any other operator may run in float32 between DequantizeLinear and QuantizeLinear, if the
// runtime has no integer kernel for it; that gives the same numbers.
LowKernels CompareKernels(const Graph& network, const PrecisionPlan& plan,
                          const std::vector<OrtKernel>& kernels);

}  // namespace halftone
