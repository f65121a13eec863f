// Operands and attributes that passes add to Conv, Gemm and MatMul; no model has them.
#pragma once

#include <cstddef>
#include <string_view>

#include "src/ir/op_table.h"

namespace halftone {

// Operand indices of Conv, Gemm and MatMul. The residual operand is a tensor of the type of the
// result that is added to it; it stands behind the bias, which MatMul does not have in ONNX.
inline constexpr std::size_t kBiasOperand = 2;
inline constexpr std::size_t kResidualOperand = 3;

// Attribute: whether the residual is added "before" or "after" the activation.
inline constexpr std::string_view kResidual = "residual";
inline constexpr std::string_view kResidualBefore = "before";
inline constexpr std::string_view kResidualAfter = "after";

// Attributes of fused activations with parameters: alpha, beta and approximate of the operator that
// kActivation (src/ir/graph.h) names.
inline constexpr std::string_view kActivationAlpha = "activation_alpha";
inline constexpr std::string_view kActivationBeta = "activation_beta";
inline constexpr std::string_view kActivationForm = "activation_approximate";

// Attribute: the slopes of a fused PRelu, floats: one, or one per channel of a Conv or column of a
// Gemm or MatMul.
inline constexpr std::string_view kActivationSlopes = "activation_slopes";

// Attribute of MatMul: the permutation of the axes of operand B before the product, from a fused
// Transpose.
inline constexpr std::string_view kTransposedB = "b_perm";

// Whether a pass added operand `index`: it stands behind those of the operator's signature. It has
// the dtype of the result, and no column in a target's tables.
inline bool IsFusedOperand(const OpInfo& info, std::size_t index) {
  const auto items = ParseSignature(info.inputs);
  return index >= items.size() && !items.back().repeated;
}

}  // namespace halftone
