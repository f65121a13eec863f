// Conv with everything resolved: sizes, window, activation. 1 to 3 spatial axes; missing ones have
// extent 1 and stand first, so that the last axis is always the contiguous one.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/gemm/activation_range.h"
#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr std::size_t kSpatialAxes = 3;

struct ConvCall {
  std::int64_t batch = 0;
  std::int64_t group = 1;
  std::int64_t in_channels = 0;   // of one group
  std::int64_t out_channels = 0;  // of one group
  std::array<std::int64_t, kSpatialAxes> input{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> output{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> kernel{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> stride{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> dilation{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> pad{0, 0, 0};  // at the begin
  bool has_bias = false;
  ActivationRange activation;
  DType dtype = DType::kFloat32;         // of input and weights
  DType result_dtype = DType::kFloat32;  // of bias and result

  [[nodiscard]] std::int64_t InputPixels() const { return input[0] * input[1] * input[2]; }

  [[nodiscard]] std::int64_t OutputPixels() const { return output[0] * output[1] * output[2]; }

  [[nodiscard]] std::int64_t Taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Error kModel for a window that does not fit, kUnsupported for more than 3 spatial axes or for
// operand types that differ.
ConvCall ConvCallOf(const KernelQuery& query);

}  // namespace halftone
