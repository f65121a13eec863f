// Window geometry of convolution, transposed convolution and pooling, shared by shape rules and
// kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "src/ir/attributes.h"
#include "src/ir/shape.h"

namespace halftone {

// Geometry of a window; each member has one entry per spatial axis, in elements.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> pad_begin;
  // Padding as the attributes give it. With ceil_mode, the last window may reach beyond it.
  std::vector<std::int64_t> pad_end;
  std::vector<std::int64_t> output;  // output extents
};

// Returns the window for an input of shape [N, C, spatial...], by the attributes kernel_shape
// (`kernel` if that is absent), strides, dilations, pads, auto_pad and ceil_mode. Error kModel: a
// wrong count of values, a value out of range (sizes below 1, or 2^31 and more), or a window larger
// than the padded input.
Window WindowOf(const Attributes& attributes, const Shape& input,
                const std::vector<std::int64_t>& kernel = {});

// Returns the window of a transposed convolution for an input of shape [N, C, spatial...], by the
// attributes kernel_shape, strides, dilations, pads, auto_pad, output_padding and output_shape.
// `kernel`: window of the weights, which kernel_shape must agree with. Input i contributes by tap k
// to output i * stride + k * dilation - pad_begin, if that is in [0, output). Error kModel as
// WindowOf().
Window TransposedWindowOf(const Attributes& attributes, const Shape& input,
                          const std::vector<std::int64_t>& kernel);

}  // namespace halftone
