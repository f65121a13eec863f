// Plane layout of the input of convolution and pooling. Padding is written out, and the columns of
// a row are sorted by their phase, the column modulo the stride. A tap then has the same offset for
// every output pixel, and the elements that one tap reads for a row of output pixels are
// contiguous.
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
  // Extents from the first to the last element that a window reads, padding included.
  std::int64_t layers = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t phases = 1;      // number of phases: the column stride
  std::int64_t phase_size = 0;  // columns of a phase

  [[nodiscard]] std::int64_t row_size() const { return phases * phase_size; }

  [[nodiscard]] std::int64_t layer_size() const { return rows * row_size(); }

  [[nodiscard]] std::int64_t size() const { return layers * layer_size(); }
};

PlaneLayout PlaneLayoutOf(const WindowGeometry& window);

// The offsets of the taps in a plane, in elements: layer by layer, row by row, column by column.
std::vector<std::int64_t> TapOffsets(const WindowGeometry& window, const PlaneLayout& layout);

// True if the channels of the input have this layout already: no padding, and columns in order.
bool IsPlainPlane(const WindowGeometry& window, const PlaneLayout& layout);

}  // namespace halftone
