// Operands that passes add to Conv, Gemm and MatMul; no model has them.
#pragma once

#include <cstddef>

#include "src/ir/op_table.h"

namespace halftone {

// Operand indices of Conv, Gemm and MatMul. The residual operand is a tensor of the type of the
// result that is added to it; it stands behind the bias, which MatMul does not have in ONNX.
inline constexpr std::size_t kBiasOperand = 2;
inline constexpr std::size_t kResidualOperand = 3;

// Operand indices of QLinearConv and QLinearMatMul that lowering and passes add: the bias is int32;
// the residual operand is quantised, with scale and zero point behind it, or float32, with neither,
// where the result is float32 (kernels/quantized/quantized.h).
inline constexpr std::size_t kLinearBiasOperand = 8;
inline constexpr std::size_t kLinearResidualOperand = 9;

// Operand indices of DynamicMatMul: both are float32.
inline constexpr std::size_t kDynamicBiasOperand = 3;
inline constexpr std::size_t kDynamicResidualOperand = 4;

// True if a pass added operand `index`: it stands behind those of the operator's signature. It has
// the dtype of the result, and no column in a target's tables.
inline bool IsFusedOperand(const OpInfo& info, std::size_t index) {
  const auto items = ParseSignature(info.inputs);
  return index >= items.size() && !items.back().repeated;
}

}  // namespace halftone
