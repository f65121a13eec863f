// The geometry of a transposed convolution, shared by shape rule and kernels.
#pragma once

#include "src/ir/window.h"

namespace halftone {

// The window that the attributes kernel_shape, strides, dilations, pads, auto_pad, output_padding
// and output_shape give for an input [N, C, spatial...]. Input i, tap k reaches output i * stride +
// k * dilation - pad_begin, where that is in [0, output). Error kModel as WindowOf().
Window TransposedWindowOf(const Attributes& attributes, const Shape& input,
                          const std::vector<std::int64_t>& kernel);

}  // namespace halftone
