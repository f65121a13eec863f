// Operands that passes add to matrix operators. No model has them.
#pragma once

#include <cstddef>

#include "src/ir/op_table.h"

namespace halftone {

// Operand indices of Conv, Gemm and MatMul. The residual operand is a tensor with the type of the
// result, which is added to it. MatMul has no bias in ONNX; passes may add one.
inline constexpr std::size_t kBiasOperand = 2;
inline constexpr std::size_t kResidualOperand = 3;

// Operand indices of QLinearConv and QLinearMatMul that lowering and passes add. The bias is int32.
// If the result is quantised, so is the residual operand, with its scale and zero point as the next
// two operands. If the result is float32, so is the residual operand
// (kernels/quantized/quantized.h).
inline constexpr std::size_t kLinearBiasOperand = 8;
inline constexpr std::size_t kLinearResidualOperand = 9;

// Operand indices of DynamicMatMul. Both operands are float32.
inline constexpr std::size_t kDynamicBiasOperand = 3;
inline constexpr std::size_t kDynamicResidualOperand = 4;

// True if operand `index` is behind those of the operator's signature, so that a pass added it. It
// has the dtype of the result, and the tables of targets say nothing about it.
inline bool IsFusedOperand(const OpInfo& info, std::size_t index) {
  const auto items = ParseSignature(info.inputs);
  return index >= items.size() && !items.back().repeated;
}

}  // namespace halftone
