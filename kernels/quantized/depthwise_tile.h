// Sums of a depthwise convolution for some pixels of an output row and some channels.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

inline constexpr std::int64_t kMostDepthwiseTaps = 256;  // a window of 16 x 16

// Largest numbers of pixels and channels of a tile.
inline constexpr int kDepthwisePixels = 12;
inline constexpr int kDepthwiseChannels = 32;

struct DepthwiseTile {
  const ConvCall* call = nullptr;
  const std::uint8_t* x = nullptr;  // the image, all channels; bytes are int8 if x_signed
  bool x_signed = false;
  std::int32_t x_zero = 0;
  const std::int16_t* weights = nullptr;  // [tap, channel], from the first channel of the tile on
  std::int64_t weight_stride = 0;         // between taps
  std::int64_t row = 0;                   // output row
  std::int64_t pixel = 0;                 // first output pixel in the row
  int pixels = 0;                         // up to kDepthwisePixels
  std::int64_t channel = 0;               // first channel
  int columns = 0;                        // number of channels, up to kDepthwiseChannels
};

// Writes a row of kDepthwiseChannels sums for each pixel, exact modulo 2^32. Sums of channels
// behind the last are undefined.
void SumDepthwiseTile(const DepthwiseTile& tile, std::int32_t* sums) noexcept;

}  // namespace halftone
