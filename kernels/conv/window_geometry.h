// Window geometry of convolution and pooling. 1 to 3 spatial axes; missing leading ones have extent
// 1, so that the last axis is always the contiguous one.
#pragma once

#include <array>
#include <cstdint>

#include "src/ir/window.h"

namespace halftone {

inline constexpr std::size_t kSpatialAxes = 3;

struct WindowGeometry {
  std::array<std::int64_t, kSpatialAxes> input{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> output{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> kernel{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> stride{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> dilation{1, 1, 1};
  std::array<std::int64_t, kSpatialAxes> pad{0, 0, 0};      // in front of the input
  std::array<std::int64_t, kSpatialAxes> pad_end{0, 0, 0};  // behind it (Window::pad_end)

  [[nodiscard]] std::int64_t InputPixels() const { return input[0] * input[1] * input[2]; }

  [[nodiscard]] std::int64_t OutputPixels() const { return output[0] * output[1] * output[2]; }

  [[nodiscard]] std::int64_t Taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Error kUnsupported for more than 3 spatial axes. `input` is [N, C, spatial...].
WindowGeometry GeometryOf(const Window& window, const Shape& input);

}  // namespace halftone
