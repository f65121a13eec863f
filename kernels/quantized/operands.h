// Operand indices of quantised products, and checks of the operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv/conv_call.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr std::size_t kNoOperand = 12;  // index behind all operands: absent

struct OperandPlaces {
  std::size_t a = 0;
  std::size_t b = 1;
  std::size_t a_zero = 2;
  std::size_t b_zero = 3;
  std::size_t a_scale = kNoOperand;
  std::size_t b_scale = kNoOperand;
  std::size_t y_scale = kNoOperand;
  std::size_t y_zero = kNoOperand;
  std::size_t bias = kNoOperand;
  std::size_t residual = kNoOperand;
  std::size_t residual_scale = kNoOperand;
  std::size_t residual_zero = kNoOperand;
};

// Indices for MatMulInteger and ConvInteger, or for QLinearMatMul, QLinearConv and
// QLinearConvTranspose (quantized.h).
OperandPlaces PlacesOf(OpKind op);

// True if results are int32 sums.
constexpr bool IsIntegerResult(OpKind op) {
  return op == OpKind::kMatMulInteger || op == OpKind::kConvInteger;
}

// The call of the corresponding float operator; its dtype is uint8 for any A and B.
MatrixCall QuantizedMatrixCall(const KernelQuery& query);
ConvCall QuantizedConvCall(const KernelQuery& query);
// The call with extents in the order of channels first, for any layout of the query.
ConvTransposeCall QuantizedConvTransposeCall(const KernelQuery& query);

std::int64_t ElementsOf(const KernelQuery& query, std::size_t operand);  // 0: absent

// Accepts one scale and one zero point for A, and for B one of each or one per column (n).
std::string_view RefusalOfScales(const KernelQuery& query, std::int64_t n);

// Zero point of A or Y as int32; 0 where it is absent.
std::int32_t ZeroPointAt(DType dtype, const void* data);

}  // namespace halftone
