#include "kernels/conv/planes.h"

namespace halftone {

PlaneLayout PlaneLayoutOf(const WindowGeometry& window) {
  const auto extent = [&](std::size_t axis) {
    return (window.output[axis] - 1) * window.stride[axis] +
           (window.kernel[axis] - 1) * window.dilation[axis] + 1;
  };
  PlaneLayout layout;
  layout.layers = extent(0);
  layout.rows = extent(1);
  layout.columns = extent(2);
  layout.phases = window.stride[2];
  layout.phase_size = (layout.columns + layout.phases - 1) / layout.phases;
  return layout;
}

std::vector<std::int64_t> TapOffsets(const WindowGeometry& window, const PlaneLayout& layout) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t z = 0; z < window.kernel[0]; ++z) {
    for (std::int64_t y = 0; y < window.kernel[1]; ++y) {
      const std::int64_t row =
          z * window.dilation[0] * layout.layer_size() + y * window.dilation[1] * layout.row_size();
      for (std::int64_t x = 0; x < window.kernel[2]; ++x) {
        const std::int64_t column = x * window.dilation[2];
        offsets.push_back(row + column % layout.phases * layout.phase_size +
                          column / layout.phases);
      }
    }
  }
  return offsets;
}

bool IsPlainPlane(const WindowGeometry& window, const PlaneLayout& layout) {
  return layout.phases == 1 && window.pad == decltype(window.pad){} &&
         layout.layers == window.input[0] && layout.rows == window.input[1] &&
         layout.columns == window.input[2];
}

}  // namespace halftone
