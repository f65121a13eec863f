// Operators on quantised data: MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv,
// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and operators between quantised tensors.
//
// An integer q stands for scale * (q - zero_point). With sa, sb, sy the scales and za, zb, zy the
// zero points of a, b and y, and fl() one rounding to float32:
//   sum     S = sum_k (a - za) (b - zb), exact in int32: |S| <= 255^2 K < 2^31 up to K = 33025.
//           Beyond that, all kernels give S modulo 2^32. A bias of int32 is added to S.
//   result  MatMulInteger, ConvInteger: S. QLinearMatMul, QLinearConv:
//             v = fl(fl(S) m)           m = fl(fl(sa sb) / sy), as in ONNX Runtime
//             v = fl(v + d)             with a residual before the activation
//             v = min(max(v, l), h)     with an activation, Relu or Clip
//             v = fl(v + d)             with a residual behind it
//             y = saturate(rint(v) + zy)
//           d = fl(fl(r - zr) fl(sr / sy)) of a quantised residual r with zero point zr and scale
//           sr; l = fl(low / sy), h = fl(high / sy) of the bounds low, high of the activation.
// A float32 result has no y_scale and no y_zero_point: y = v with m = fl(sa sb), sy = 1, and a
// float32 residual d = r.
//
// Operands of QLinearMatMul and QLinearConv:
//   0 a, 1 a_scale, 2 a_zero_point, 3 b, 4 b_scale, 5 b_zero_point, 6 y_scale, 7 y_zero_point,
//   8 bias (of QLinearMatMul only from passes and lowering), and behind the signature
//   9 residual, 10 residual_scale, 11 residual_zero_point
// Fusion::residual says where the residual is added. 6 and 7 are absent together; 10 and 11 are
// then absent, too.
//
// QLinearConvTranspose, which lowering makes, has the operands and the formulas of QLinearConv
// without a residual. S sums over the taps that reach an output; scales, zero points and biases of
// channels are those of the channels of the result.
//
// Operators that lowering makes, with one scale and one zero point for each tensor:
//   QLinearAdd  a, sa, za, b, sb, zb, sy, zy; broadcast as in ONNX
//               v = fl(fl((a - za) fl(sa / sy)) + fl((b - zb) fl(sb / sy)))
//   QLinearMul  the same operands; v = fl(fl((a - za) (b - zb)) m), m as above
//               Both: Fusion::activation Relu or Clip gives bounds l, h; y as above.
//   QLinearConcat  sy, zy, then x, sx, zx for each part; v = fl((x - zx) fl(sx / sy))
//   QLinearAveragePool, QLinearGlobalAveragePool  x, sx, zx, sy, zy; attributes of the float
//               operators; S = sum of x - zx over the taps inside the input, modulo 2^32;
//               v = fl(fl(S) m), m = sx / (sy count) in double, rounded once to float
//   QLinearResize  x, sx, zx, sy, zy, region, scales, sizes; attributes of the float operator. Its
//               weights w of rows and h of columns are rounded to float32. In the order of the taps
//               t[j] = fl(... fl(fl(w0 (x[0, j] - zx)) + fl(w1 (x[1, j] - zx))) ...), and u is the
//               same sum of h[j] t[j]; v = fl(u fl(sx / sy))
//   QLinearLookup  x, table of 256 results indexed by the byte of x seen as unsigned
//               (byte_table.h), or such a table for each index of the axis of x that the attribute
//               names
//   DynamicMatMul  float32 rows that are quantised in the run (dynamic_product.h)
//
// Every step is one IEEE operation on given operands (rounding.h), so that all kernels, references
// included, give the same bits, whatever their instructions, threads and parts.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> QuantizedKernels();

}  // namespace halftone
