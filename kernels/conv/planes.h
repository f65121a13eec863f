// Plane layout of a convolution's input, in which every tap of every output pixel has a fixed
// offset: padding written out, columns sorted by their phase modulo the stride, elements in the
// multiplied type. A row of output pixels under one tap is then a few contiguous runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/conv/window_geometry.h"

namespace halftone {

// Layout of one channel of one image. The first of three spatial axes counts layers; with fewer
// axes there is one layer. Element (row, column) of a padded layer is at
//   row * row_size + (column % stride) * phase_size + column / stride.
struct PlaneLayout {
  std::int64_t layers = 1;   // that some window reads
  std::int64_t rows = 0;     // that some window reads
  std::int64_t columns = 0;  // that some window reads
  std::int64_t phases = 1;   // the column stride
  std::int64_t phase_size = 0;

  [[nodiscard]] std::int64_t row_size() const { return phases * phase_size; }

  [[nodiscard]] std::int64_t layer_size() const { return rows * row_size(); }

  [[nodiscard]] std::int64_t size() const { return layers * layer_size(); }
};

PlaneLayout PlaneLayoutOf(const WindowGeometry& window);

// The offsets of the taps of one plane, layer by layer, row by row.
std::vector<std::int64_t> TapOffsets(const WindowGeometry& window, const PlaneLayout& layout);

// True if the planes of the input have this layout already: no padding, columns in order.
bool IsPlainPlane(const WindowGeometry& window, const PlaneLayout& layout);

}  // namespace halftone
