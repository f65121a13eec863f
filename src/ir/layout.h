// The two layouts of tensors with 2 spatial axes. A graph has [N, C, H, W] only; a compiled step
// whose attribute kChannelsLast is 1 has [N, H, W, C] for its operands and results (weights of a
// convolution stay as they are), and its types say so.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/ir/attributes.h"
#include "src/ir/shape.h"

namespace halftone {

inline constexpr std::string_view kChannelsLast = "channels_last";

inline bool IsChannelsLast(const Attributes& attributes) {
  return attributes.Int(kChannelsLast, 0) != 0;
}

// [N, H, W, C] of [N, C, H, W], and back.
inline Shape ChannelsLastOf(const Shape& shape) {
  return Shape{shape[0], shape[2], shape[3], shape[1]};
}

inline Shape ChannelsFirstOf(const Shape& shape) {
  return Shape{shape[0], shape[3], shape[1], shape[2]};
}

// The element of [N, C, H, W] that is element `i` of the same tensor as [N, H, W, C].
inline std::int64_t ChannelsFirstElement(const Shape& channels_last, std::int64_t i) {
  const std::int64_t pixels = channels_last[1] * channels_last[2];
  const std::int64_t channels = channels_last[3];
  const std::int64_t image = i / (pixels * channels);
  return (image * channels + i % channels) * pixels + i / channels % pixels;
}

}  // namespace halftone
