// Transposed convolution: Y[n, m, o] = B[m] + sum of X[n, c, p] W[c, m, k] over all c, p and k with
// p * stride + k * dilation - pad = o.
//
// The packed entries multiply first: columns[p, (k, m)] = sum over c of X[c, p] W[c, (k, m)]. Then
// they gather: every output adds the columns of the taps that reach it, in the order of the taps.
// Sums are in fp32, with one rounding to the dtype of the result.
//
// Error, with C channels in a group, T taps that reach an output, u = 2^-24 and
// g(n) = n u / (1 - n u):
//   |Y - exact| <= g(C + T + 1) (sum |x w| + |b|), and half an ulp of a 16-bit result.
// The bf16 dot units round float16 operands first, which adds (2 * 2^-8 + 2^-16) sum |x w|. Sums in
// float16 add the terms of kernels/gemm/packed.h. Source: Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., 3.1. ConvTransposeTest.ErrorBound checks the bound.
#pragma once

#include <array>
#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ConvTransposeKernels();

// ConvTranspose with all attributes resolved. It has three spatial axes; missing leading axes have
// extent 1.
struct ConvTransposeCall {
  static constexpr std::size_t kAxes = 3;
  using Triple = std::array<std::int64_t, kAxes>;

  DType dtype = DType::kFloat32;         // of X and W
  DType result_dtype = DType::kFloat32;  // of B and Y
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t input_channels = 1;   // of a group
  std::int64_t output_channels = 1;  // of a group
  Triple input{1, 1, 1};
  Triple output{1, 1, 1};
  Triple kernel{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple dilation{1, 1, 1};
  Triple pad{0, 0, 0};
  bool has_bias = false;

  [[nodiscard]] std::int64_t input_pixels() const { return input[0] * input[1] * input[2]; }

  [[nodiscard]] std::int64_t output_pixels() const { return output[0] * output[1] * output[2]; }

  [[nodiscard]] std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }

  // Input index along `axis` from which tap `k` reaches output `o`; -1 if there is none.
  [[nodiscard]] std::int64_t Source(std::size_t axis, std::int64_t o, std::int64_t k) const {
    const std::int64_t at = o + pad[axis] - k * dilation[axis];
    return at >= 0 && at % stride[axis] == 0 && at / stride[axis] < input[axis] ? at / stride[axis]
                                                                                : -1;
  }
};

// Error kUnsupported for more than three spatial axes.
ConvTransposeCall ConvTransposeCallOf(const KernelQuery& query);

}  // namespace halftone
