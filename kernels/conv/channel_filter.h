// Inner loops of a depthwise convolution with channels last. Every channel has its own filter; the
// loops compute a vector of channels at a time.
#pragma once

#include <cstdint>

#include "kernels/conv/conv_call.h"

namespace halftone {

// Channels in one block of weights: a whole number of vectors of any width.
inline constexpr std::int64_t kFilterChannels = 16;

struct ChannelFilter {
  const ConvCall* call = nullptr;       // group = channels, one result each
  const std::byte* x = nullptr;         // [N, H, W, C]
  const float* weights = nullptr;       // [C / kFilterChannels, taps, kFilterChannels], padded
  const float* bias = nullptr;          // [C], padded to a multiple of kFilterChannels
  std::byte* y = nullptr;               // [N, OH, OW, C]
  const std::byte* residual = nullptr;  // as y; null: none
};

// Computes output rows [first, last), counted over all images. Each sum begins with the bias and
// adds w * x tap by tap in fp32; on CPUs with FMA each tap rounds once. The order of a sum depends
// neither on the vector width nor on how many rows are computed together.
void FilterChannelRows(const ChannelFilter& filter, std::int64_t first, std::int64_t last) noexcept;

}  // namespace halftone
