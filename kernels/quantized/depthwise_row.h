// Row of output pixels of a depthwise convolution by vpdpbusd: one product multiplies four taps of
// a column of the window. Source of the instruction: Intel SDM volume 2, VPDPBUSD, "Operation".
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_tile.h"

namespace halftone {

inline constexpr int kDepthwiseRowChannels = 64;  // channels of a block
inline constexpr int kDepthwiseRowsAtOnce = 4;    // rows of the window in one product

// Channel of a block in the 32-bit lane `lane` (0 to 15) of vector `quarter` (0 to 3). Each 128
// bits hold 4 neighbouring channels, so that pack instructions put all bytes in order.
constexpr int DepthwiseChannelAt(int quarter, int lane) {
  return lane / 4 * 16 + quarter * 4 + lane % 4;
}

struct DepthwiseRowArgs {
  // For each row under the window, the first byte of the channels of the block in column 0; null: a
  // row of padding.
  const std::uint8_t* const* rows = nullptr;
  int kernel_rows = 0;
  int kernel_columns = 0;
  std::int64_t stride = 1;        // columns between neighbouring windows
  std::int64_t first_column = 0;  // of the first window; below 0: padding
  std::int64_t input_columns = 0;
  std::int64_t pitch = 0;    // bytes between columns of the input
  int channels = 0;          // 1 to kDepthwiseRowChannels
  std::uint8_t flip = 0;     // xored with the input
  std::uint8_t padding = 0;  // byte of padding, as it is after the xor
  // Layout: [kernel_columns][groups of kDepthwiseRowsAtOnce rows][quarter][lane][row of the group].
  // Weights of rows behind the last are 0.
  const std::int8_t* weights = nullptr;
  int pixels = 0;
  // One of the two outputs is set: `finish` for results as bytes, with its terms in the order of
  // quarters and lanes, or `sums`, rows of kDepthwiseRowChannels in the order of channels.
  const ByteTileFinish* finish = nullptr;
  std::int32_t* sums = nullptr;
};

// Requires kIsaAvx512Vnni. Where the compiler cannot build for it, the function does nothing and
// must not be called.
void DepthwiseRowVnni(const DepthwiseRowArgs& args) noexcept;

}  // namespace halftone
