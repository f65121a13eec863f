// Operand indices of quantised products, and checks of operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv/conv_call.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr std::size_t kNoOperand = 12;  // index behind all operands, for absent ones

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

// Indices of MatMulInteger and ConvInteger, or those of QLinearMatMul, QLinearConv and
// QLinearConvTranspose (quantized.h).
OperandPlaces PlacesOf(OpKind op);

// True if the operator returns the int32 sums.
constexpr bool IsIntegerResult(OpKind op) {
  return op == OpKind::kMatMulInteger || op == OpKind::kConvInteger;
}

// The call of the corresponding float operator. Its dtype is uint8 for any A and B.
MatrixCall QuantizedMatrixCall(const KernelQuery& query);
ConvCall QuantizedConvCall(const KernelQuery& query);
// Call of a transposed convolution. Its extents are in the order of channels first, whatever the
// layout of the query.
ConvTransposeCall QuantizedConvTransposeCall(const KernelQuery& query);

std::int64_t ElementsOf(const KernelQuery& query, std::size_t operand);  // 0: absent

// Empty if the epilogue is supported, scales are float32, A has one scale and one zero point, and B
// has one of each or one per column (n); else the reason for a refusal.
std::string_view RefusalOfScales(const KernelQuery& query, std::int64_t n);

// Zero point of type `dtype` at `data`; 0 if `data` is null.
std::int32_t ZeroPointAt(DType dtype, const void* data);

}  // namespace halftone
