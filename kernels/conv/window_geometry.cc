#include "kernels/conv/window_geometry.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {

WindowGeometry GeometryOf(const Window& window, const Shape& input) {
  const std::size_t axes = window.kernel.size();
  if (axes > kSpatialAxes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected 1 to 3 spatial axes, got input {}", input.ToString()));
  }
  WindowGeometry geometry;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t axis = kSpatialAxes - axes + i;
    geometry.input[axis] = input[static_cast<int>(i) + 2];
    geometry.output[axis] = window.output[i];
    geometry.kernel[axis] = window.kernel[i];
    geometry.stride[axis] = window.stride[i];
    geometry.dilation[axis] = window.dilation[i];
    geometry.pad[axis] = window.pad_begin[i];
    geometry.pad_end[axis] = window.pad_end[i];
  }
  return geometry;
}

}  // namespace halftone
