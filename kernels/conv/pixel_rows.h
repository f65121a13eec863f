// Rows of the left operand of a convolution with channels last. A row is the window of an output
// pixel, ordered by window row, then window column, then channel, with zeros in the padding.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

struct PixelRows {
  const ConvCall* call = nullptr;
  const std::byte* x = nullptr;  // first channel of the group in the first image
  DType to = DType::kFloat32;    // float32 or bfloat16; or float16 if x is float16
};

// Elements [first, first + count) of the rows of output pixels [pixel, pixel + pixels), which are
// counted over all images.
struct PixelPart {
  std::int64_t pixel = 0;
  std::int64_t pixels = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// Writes the part to rows that begin `pitch` bytes apart. If elements have 16 bits and `count` is
// odd, one zero follows each row.
void GatherPixelRows(const PixelRows& rows, const PixelPart& part, std::byte* target,
                     std::int64_t pitch) noexcept;

}  // namespace halftone
