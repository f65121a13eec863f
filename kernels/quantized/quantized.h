// Operators on quantised data: MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv,
// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
//
// An integer q stands for scale * (q - zero_point). With za, zb the zero points:
//   sum     S = sum_k (a - za) (b - zb), exact in int32: |S| <= 255^2 K < 2^31 up to K = 33025.
//           Beyond that all kernels give it modulo 2^32.
//   result  MatMulInteger, ConvInteger: S. The others: saturate(rint(float(S) * m) + zy),
//           m = sa * sb / sy in double, rounded once to float; a bias of int32 is added to S.
// Every step is one IEEE operation on given operands (rounding.h), so that all kernels, references
// included, give the same bits, whatever their instructions, threads and parts.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> QuantizedKernels();

}  // namespace halftone
