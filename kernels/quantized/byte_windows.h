// What the windows of a convolution of quantised data read, channels last: a copy of the input with
// its padding around it, of which the rows of an implicit matrix are cut, taps by rows, then by
// columns, then channels.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"
#include "kernels/quantized/byte_product.h"

namespace halftone {

// An image as far as windows reach it. Spatial axes 1 and 2 of the call.
struct PaddedImage {
  explicit PaddedImage(const ConvCall& call);

  // Of all images; what follows may be read as far as a copy of few bytes goes.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t batch) const;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  // bytes between pixels: channels of all groups
};

// Every byte xored with `flip`, `padding` (as it is) around each image.
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
  const std::uint8_t* x = nullptr;  // padded, of the group's first channel in the first image
};

// The window of each output pixel (counted over all images), copied.
ByteRowsView RowsOfWindows(const ByteRowsQuery& query) noexcept;

// Where windows are pixels behind each other, and those are rows of whole steps: as they lie.
ByteRowsView RowsInPlace(const ByteRowsQuery& query) noexcept;

}  // namespace halftone
