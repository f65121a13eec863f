// A row of output pixels of a depthwise convolution by vpdpbusd: four taps of a column of the
// window in one product. Source of the instruction: Intel SDM volume 2, VPDPBUSD, "Operation".
#pragma once

#include <cstdint>

#include "kernels/quantized/byte_tile.h"

namespace halftone {

inline constexpr int kDepthwiseRowChannels = 64;  // of a block
inline constexpr int kDepthwiseRowsAtOnce = 4;    // rows of the window in one product

// Channel of a block that the 32-bit lane `lane` (0 to 15) of vector `quarter` (0 to 3) holds. Each
// 128 bits hold 4 neighbouring channels, so that pack instructions put all bytes in order.
constexpr int DepthwiseChannelAt(int quarter, int lane) {
  return lane / 4 * 16 + quarter * 4 + lane % 4;
}

struct DepthwiseRowArgs {
  // First byte of the block's channels in column 0 of each row under the window; null: padding.
  const std::uint8_t* const* rows = nullptr;
  int kernel_rows = 0;
  int kernel_columns = 0;
  std::int64_t stride = 1;        // columns between windows
  std::int64_t first_column = 0;  // under the first window; below 0: padding
  std::int64_t input_columns = 0;
  std::int64_t pitch = 0;    // bytes between columns of the input
  int channels = 0;          // 1 to kDepthwiseRowChannels
  std::uint8_t flip = 0;     // xored with the input
  std::uint8_t padding = 0;  // after the xor
  // [kernel_columns][groups of kDepthwiseRowsAtOnce rows][quarter][lane][row of the group]; 0 for
  // rows behind the last.
  const std::int8_t* weights = nullptr;
  int pixels = 0;
  // Exactly one output: `finish` for results as bytes, with its terms in the order of quarters and
  // lanes; or `sums`, rows of kDepthwiseRowChannels in the order of channels.
  const ByteTileFinish* finish = nullptr;
  std::int32_t* sums = nullptr;
};

// Requires kIsaAvx512Vnni; where the compiler cannot build for it, it does nothing and must not be
// called.
void DepthwiseRowVnni(const DepthwiseRowArgs& args) noexcept;

}  // namespace halftone
