// Taps of a Resize along one axis or two neighbouring ones, with weights in float32.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/resize/axis_taps.h"

namespace halftone {

// Resize of a source [outer, source_height, source_width, inner] to a target [outer, rows, columns,
// inner]. A single resized axis is the horizontal one of images with one row.
struct SeparableTaps {
  // Output index o reads index[o * width + k] with weight[o * width + k] for k < width.
  struct Axis {
    int width = 1;
    std::vector<std::int64_t> index;
    std::vector<float> weight;

    [[nodiscard]] std::int64_t extent() const {
      return static_cast<std::int64_t>(index.size()) / width;
    }
  };

  // True if one axis is resized, or two neighbouring ones are, as this class requires.
  static bool Fits(const std::vector<AxisTaps>& taps);

  explicit SeparableTaps(const std::vector<AxisTaps>& taps);

  [[nodiscard]] std::int64_t rows() const { return vertical.extent(); }

  [[nodiscard]] std::int64_t columns() const { return horizontal.extent(); }

  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t source_width = 1;
  std::int64_t source_height = 1;
  Axis vertical{1, {0}, {1.0F}};
  Axis horizontal;
};

}  // namespace halftone
