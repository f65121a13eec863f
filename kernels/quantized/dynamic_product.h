// Matrix product of float32 rows by constant int8 weights (DynamicMatMul). Each row of A is
// quantised in the run, by its own largest magnitude.
//
//   row i      a_i = max_k |x_ik|; scale s_i = fl(a_i / 127), r_i = fl(127 / a_i)
//              q_ik = rint(fl(x_ik r_i)), half to even: from -127 to 127
//   sum        S_ij = sum_k q_ik b_kj, exact in int32: |S| <= 127^2 K, so K is at most 133144
//   result     v = fl(fl(fl(S) t_j) s_i)   t_j: scale of column j of B
//              v = fl(v + c_j)             with a bias c, float32
//              v = fl(v + d)               with a residual d before the activation
//              v = min(max(v, l), h)       with Relu or Clip, whose bounds are l and h; NaN passes
//              v = f(v)                    with another activation f, by its float32 kernel
//              v = fl(v + d)               with a residual d behind it
//
// A row whose largest magnitude is below 2^-119, where r_i could overflow, counts as zeros. A row
// with an infinity or a NaN has no scale and gives NaN in every column.
//
// Every step is one IEEE operation on given operands. So all kernels, the reference included, give
// the same bits, whatever their instructions, threads and parts. The exception is a function f,
// which has the bits of its own kernel (kernels/unary); the reference computes f in double and
// rounds it.
//
// Error against exact arithmetic on x and on w = t b, the numbers that B stands for, with u =
// 2^-24: |x - s q| <= s / 2 + 3.1 u |x|, and s <= a (1 + u) / 127, so without bias and epilogue
//   |y - sum_k x w| <= (a_i / 254 + 4 u a_i) sum_k |w_kj| + 3.1 u |y|
// For a row that counts as zeros, the error is at most a_i sum_k |w_kj|, with a_i < 2^-119.
//
// Operands: 0 a, float32 [..., K]; 1 b, int8 [K, N]; 2 scales of the columns [N]; 3 bias [N], may
// be absent; 4 residual in the shape of the result, if Fusion::residual says so. A is one matrix:
// its leading axes are rows.
#pragma once

#include <cstdint>

#include "kernels/gemm/matrix_call.h"
#include "kernels/quantized/byte_product.h"

namespace halftone {

// A row whose largest magnitude is below this counts as zeros.
inline constexpr float kLeastRowMagnitude = 0x1p-119F;

// Largest number of products in a sum: 2^31 / 127^2.
inline constexpr std::int64_t kMostDynamicProducts = 133144;

// Factors of a row of A, to integers and back.
struct RowScale {
  float to_integers = 0;
  float from_integers = 0;  // NaN for a row with an infinity or a NaN; 0 for a row of zeros
};

// `largest` is the largest magnitude of the row, or infinity or NaN if the row has one.
RowScale RowScaleOf(float largest);

// Quantises a row of `count` elements to uint8 with the zero point 128. Returns
// RowScale::from_integers.
float QuantizeDynamicRow(const float* x, std::int64_t count, std::uint8_t* y) noexcept;

// Operands and result of the last steps, for all rows.
struct DynamicResult {
  float* y = nullptr;
  std::int64_t columns = 0;  // of y
  const float* row_scales = nullptr;
  // One element per column, padded to whole panels.
  const std::int32_t* offset = nullptr;
  const float* column_scales = nullptr;
  const float* bias = nullptr;  // null: none
  const Epilogue* epilogue = &kNoEpilogue;
  const float* residual = nullptr;  // in the shape of y; null: none
};

// The epilogue of a query for which DynamicCallRefusal() is empty.
Epilogue DynamicEpilogueOf(const KernelQuery& query);

// Stores the results of a tile (ByteTileStore). `source` is a DynamicResult.
void StoreDynamicTile(const void* source, const ByteTileSums& tile) noexcept;

// Reason why no kernel supports a call, whichever of its operands are constant; empty if some
// kernel does.
std::string_view DynamicCallRefusal(const KernelQuery& query);

std::string_view DynamicMatMulRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareDynamicMatMul(const KernelQuery& query,
                                                  const ByteTileKernel& tile);
std::size_t DynamicMatMulScratchBytes(const KernelState& state);
void RunDynamicMatMul(const KernelArgs& args) noexcept;

// Reference: one element at a time. Any operand may be computed in the run.
std::unique_ptr<KernelState> PrepareDynamicMatMulReference(const KernelQuery& query);
void RunDynamicMatMulReference(const KernelArgs& args) noexcept;

}  // namespace halftone
