// The geometry of windows of convolution, transposed convolution and pooling, shared by shape rules
// and kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "src/ir/attributes.h"
#include "src/ir/shape.h"

namespace halftone {

// One entry per spatial axis.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> pad_begin;
  std::vector<std::int64_t>
      pad_end;                       // as stated; output extents may reach beyond it with ceil_mode
  std::vector<std::int64_t> output;  // output extents
};

// The window that the attributes kernel_shape (or `kernel` when that is absent), strides,
// dilations, pads, auto_pad and ceil_mode give for an input of shape [N, C, spatial...]. Error
// kModel: wrong counts, non-positive sizes, a window larger than the padded input.
Window WindowOf(const Attributes& attributes, const Shape& input,
                const std::vector<std::int64_t>& kernel = {});

// The geometry of a transposed convolution.
//
// The window that the attributes kernel_shape, strides, dilations, pads, auto_pad, output_padding
// and output_shape give for an input [N, C, spatial...]. Input i, tap k reaches output i * stride +
// k * dilation - pad_begin, where that is in [0, output). Error kModel as WindowOf().
Window TransposedWindowOf(const Attributes& attributes, const Shape& input,
                          const std::vector<std::int64_t>& kernel);

}  // namespace halftone
