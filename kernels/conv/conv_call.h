// Sizes, window and epilogue of a Conv call, resolved from its attributes and shapes.
#pragma once

#include <cstdint>

#include "kernels/conv/window_geometry.h"
#include "kernels/kernel_table.h"
#include "kernels/tile/epilogue.h"

namespace halftone {

struct ConvCall : WindowGeometry {
  std::int64_t batch = 0;
  std::int64_t group = 1;
  std::int64_t in_channels = 0;   // of one group
  std::int64_t out_channels = 0;  // of one group
  bool has_bias = false;
  // Input and result are [N, H, W, C]; weights stay [O, I, kh, kw].
  bool channels_last = false;
  Epilogue epilogue;
  DType dtype = DType::kFloat32;         // of input and weights
  DType result_dtype = DType::kFloat32;  // of bias and result
};

// Error kModel for a window that does not fit. Error kUnsupported for more than 3 spatial axes, for
// weights of another type than the input, and for a bias of another type than the result.
ConvCall ConvCallOf(const KernelQuery& query);

}  // namespace halftone
