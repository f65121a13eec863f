// Operands and attributes that passes add to Conv, Gemm and MatMul; no model has them.
#pragma once

#include <cstddef>
#include <string_view>

#include "src/ir/op_table.h"

namespace halftone {

// Conv, Gemm and MatMul: a tensor of the type of the result that is added to it. It has the place
// behind the bias, which MatMul does not have as ONNX states it.
inline constexpr std::size_t kBiasOperand = 2;
inline constexpr std::size_t kResidualOperand = 3;

// Attribute: "before" or "after" the activation, where there is a residual operand.
inline constexpr std::string_view kResidual = "residual";
inline constexpr std::string_view kResidualBefore = "before";
inline constexpr std::string_view kResidualAfter = "after";

// Attributes of fused activations that have parameters: alpha, beta and approximate of the operator
// that kActivation (src/ir/graph.h) names.
inline constexpr std::string_view kActivationAlpha = "activation_alpha";
inline constexpr std::string_view kActivationBeta = "activation_beta";
inline constexpr std::string_view kActivationForm = "activation_approximate";

// Attribute: the slopes of PRelu, floats: one, or one of each channel of a Conv or column of a Gemm
// or MatMul.
inline constexpr std::string_view kActivationSlopes = "activation_slopes";

// Attribute of MatMul: the axes of operand B in the order in which the product takes them, that of
// a Transpose before it.
inline constexpr std::string_view kTransposedB = "b_perm";

// Whether operand `index` stands behind those of the operator's signature: a pass put it there. It
// has the dtype of the result, and no column of a target's tables.
inline bool IsFusedOperand(const OpInfo& info, std::size_t index) {
  const auto items = ParseSignature(info.inputs);
  return index >= items.size() && !items.back().repeated;
}

}  // namespace halftone
