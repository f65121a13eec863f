// Rows of the implicit matrix with channels last. A row is the window of an output pixel: by window
// row, then window column, then channel, with zeros in the padding.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

struct PixelRows {
  const ConvCall* call = nullptr;
  const std::byte* x = nullptr;  // of the group's first channel in the first image
  DType to = DType::kFloat32;    // or bfloat16; or float16 if x is float16
};

// Output pixels, counted over all images, and elements [first, first + count) of their rows.
struct PixelPart {
  std::int64_t pixel = 0;
  std::int64_t pixels = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// Writes the part to rows `pitch` bytes apart. An odd `count` of 16 bits is followed by one zero.
void GatherPixelRows(const PixelRows& rows, const PixelPart& part, std::byte* target,
                     std::int64_t pitch) noexcept;

}  // namespace halftone
