// The inner loops of a depthwise convolution with channels last: every channel is filtered with its
// own taps, a vector of channels at a time.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

// Channels whose weights lie together: a whole number of vectors, however wide they are.
inline constexpr std::int64_t kFilterChannels = 16;

struct ChannelFilter {
  const ConvCall* call = nullptr;       // group = channels, one result each
  const std::byte* x = nullptr;         // [N, H, W, C]
  const float* weights = nullptr;       // [C / kFilterChannels, taps, kFilterChannels], padded
  const float* bias = nullptr;          // [C], padded to a multiple of kFilterChannels
  std::byte* y = nullptr;               // [N, OH, OW, C]
  const std::byte* residual = nullptr;  // as y; null: none
};

// Output rows [first, last), counted over all images. Each sum is bias + w * x tap by tap, in fp32
// with one rounding a step (FMA), whatever the width of a vector and the rows computed at once.
void FilterChannelRows(const ChannelFilter& filter, std::int64_t first, std::int64_t last) noexcept;

}  // namespace halftone
