// The two layouts of tensors with 2 spatial axes. A graph has [N, C, H, W] only; a compiled step whose
// attribute kChannelsLast is 1 has [N, H, W, C] for its operands and results (weights of a
// convolution stay as they are), and its types say so.
#pragma once

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

}  // namespace halftone
