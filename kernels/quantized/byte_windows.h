// Windows of a quantised convolution with channels last: a padded copy of the input, and the rows
// of the implicit matrix in it. A row lists taps by window row, then window column, then channel.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"
#include "kernels/quantized/byte_product.h"

namespace halftone {

// The extent of an image that windows read, along the spatial axes 1 and 2 of the call.
struct PaddedImage {
  explicit PaddedImage(const ConvCall& call);

  // Bytes of all images, with room behind them for copies of a few bytes.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t batch) const;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  // bytes between pixels: channels of all groups
};

// Copy with every byte xored with `flip`, and `padding` (unchanged) around each image.
struct PaddedCopy {
  const std::uint8_t* x = nullptr;
  std::uint8_t flip = 0;
  std::uint8_t padding = 0;
};

// Writes all images to `target`, size_bytes() of it.
void CopyPadded(const ConvCall& call, const PaddedCopy& copy, std::uint8_t* target) noexcept;

// Source of the rows below.
struct ByteWindows {
  const ConvCall* call = nullptr;
  PaddedImage image;
  const std::uint8_t* x = nullptr;  // padded copy, from the group's first channel on
};

// Copies the window of each output pixel (counted over all images).
ByteRowsView RowsOfWindows(const ByteRowsQuery& query) noexcept;

// Rows in place, where windows are consecutive pixels that form rows of whole steps.
ByteRowsView RowsInPlace(const ByteRowsQuery& query) noexcept;

}  // namespace halftone
