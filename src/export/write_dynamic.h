// A product in dynamic int8 as nodes of an ONNX file.
#pragma once

#include <cstdint>
#include <string>

#include "src/exec/integer_steps.h"
#include "src/export/rounded_tensors.h"

namespace halftone {

struct DynamicNode {
  std::string name;    // of the node of the file that is replaced
  std::string rows;    // tensor of the file: the first operand
  std::string bias;    // tensor of the file: the bias of a Gemm; empty: none
  std::string result;  // tensor of the file that it makes
  std::int64_t opset = 0;
};

// Adds the arithmetic of kernels/quantized/dynamic_product.h, operation by operation, since
// DynamicQuantizeLinear has one scale for a whole tensor: Abs, ReduceMax over a row, the two
// quotients of its scale, Mul, Round, a Cast to uint8 with the zero point 128, MatMulInteger with
// the int8 weights of `step` (src/exec/dynamic_products.h), and two Muls. Runtimes that follow ONNX
// give the bits of halftone, except for rows without a scale: values below 2^-119, infinities and
// NaN.
void WriteDynamicProduct(const DynamicNode& node, const IntegerStep& step, RoundedTensors& tensors);

}  // namespace halftone
