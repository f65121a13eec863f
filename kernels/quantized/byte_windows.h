// Windows of a quantised convolution with channels last: a padded copy of the input, and the rows
// of the implicit matrix in it. A row has its taps ordered by window row, then window column, then
// channel.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"
#include "kernels/quantized/byte_product.h"

namespace halftone {

// The part of a padded image that windows read, along the spatial axes 1 and 2 of the call.
struct PaddedImage {
  explicit PaddedImage(const ConvCall& call);

  // Bytes of `batch` images, plus room behind them because rows are copied in pieces of 16 bytes.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t batch) const;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  // bytes between pixels: channels of all groups
};

// Input of CopyPadded(). Bytes of `x` are xored with `flip`; the bytes around each image are
// `padding`, not xored.
struct PaddedCopy {
  const std::uint8_t* x = nullptr;
  std::uint8_t flip = 0;
  std::uint8_t padding = 0;
};

// Writes all padded images to `target`, which has PaddedImage::size_bytes() bytes.
void CopyPadded(const ConvCall& call, const PaddedCopy& copy, std::uint8_t* target) noexcept;

// Source of the rows that the functions below return.
struct ByteWindows {
  const ConvCall* call = nullptr;
  PaddedImage image;
  const std::uint8_t* x = nullptr;  // padded copy or the input, from the group's first channel on
};

// Copies the windows of output pixels, which are counted over all images.
ByteRowsView RowsOfWindows(const ByteRowsQuery& query) noexcept;

// Returns the rows in place. Requires that windows are single, consecutive pixels of whole steps.
// Copies rows that lie a multiple of 2 KiB apart, because they share too few sets of the L1.
ByteRowsView RowsInPlace(const ByteRowsQuery& query) noexcept;

}  // namespace halftone
