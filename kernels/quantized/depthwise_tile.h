// Sums of a depthwise convolution for a row of output pixels by some channels.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

inline constexpr std::int64_t kMostDepthwiseTaps = 256;  // 16x16

// Largest numbers of pixels and channels of a tile.
inline constexpr int kDepthwisePixels = 12;
inline constexpr int kDepthwiseChannels = 32;

struct DepthwiseTile {
  const ConvCall* call = nullptr;
  const std::uint8_t* x = nullptr;  // the image, all channels; int8 where x_signed
  bool x_signed = false;
  std::int32_t x_zero = 0;
  const std::int16_t* weights = nullptr;  // [tap, channel] from the tile's first channel on
  std::int64_t weight_stride = 0;         // between taps
  std::int64_t row = 0;                   // row of output pixels
  std::int64_t pixel = 0;                 // first pixel in the row
  int pixels = 0;
  std::int64_t channel = 0;
  int columns = 0;
};

// Writes rows of kDepthwiseChannels sums, exact modulo 2^32; values for channels behind the last
// are undefined.
void SumDepthwiseTile(const DepthwiseTile& tile, std::int32_t* sums) noexcept;

}  // namespace halftone
