// Grid windows: the pixels that points of a grid read, as runs of neighbours with weights. They are
// computed once for a block of points and used for every channel.
//
// A run has 1, 2 or 4 neighbouring pixels (`run`) of an image row. A point reads `rows` runs: in
// images as many as a run has pixels, in volumes the square of that number. A run that would pass
// the end of its row begins earlier. Weights belong to positions in the run; a pixel without a tap
// has weight 0 and is masked.
#pragma once

#include <cstdint>

#include "kernels/sample/grid_sample.h"

namespace halftone {

inline constexpr std::int64_t kGridBlockPoints = 256;
inline constexpr std::int64_t kGridBlockPixels = 1024;  // whose weights take 8 KiB
inline constexpr std::int64_t kGridPointMultiple = 16;  // most float lanes of a vector

// Runs per point of a mode.
struct GridForm {
  std::int64_t run = 1;   // pixels: 1, 2 or 4
  std::int64_t rows = 1;  // runs of a point, at most 16

  // Points per block: a multiple of kGridPointMultiple.
  [[nodiscard]] std::int64_t points() const {
    const std::int64_t most = kGridBlockPixels / (run * rows);
    return most < kGridBlockPoints ? most : kGridBlockPoints;
  }
};

GridForm GridFormOf(const GridState& state);

struct GridWindows {
  GridForm form;
  std::int64_t count = 0;  // points
  // `count` rounded up to a multiple of kGridPointMultiple. The extra points read pixel 0.
  std::int64_t stride = 0;
  bool is_whole = true;  // all masks are set
  // Layout of offset: [rows][stride]; of weight and mask: [rows][stride][run].
  std::int64_t offset[kGridBlockPixels];
  alignas(64) double weight[kGridBlockPixels];
  alignas(64) std::uint32_t mask[kGridBlockPixels];  // all bits or none
  // Number and indices of the points whose pixels form no such runs; their weights are 0.
  // Coordinates beyond 2^52 are such points, because whole numbers are more than 1 apart there.
  std::int64_t others = 0;
  std::int64_t other[kGridBlockPoints];
};

// Fills `windows` for points [begin, begin + count) of the grid. Rows of the image must have
// form.run pixels or more.
void FillGridWindows(const GridState& state, const GridForm& form, const void* grid,
                     std::int64_t begin, std::int64_t count, GridWindows& windows);

// Computes a block of points for all channels:
//
//   y[c * places + i] = sum over runs and pixels of weight * x[c * plane + offset + pixel]
//
// Products and sums are in double. One rounding to float32 follows, and for 16-bit dtypes another
// to the dtype. The weights of an axis have up to 8 roundings, their products 2 more, and the sum
// adds taps + 1, which is within the bound of sample.h. Checked by GridSampleTest.StaysWithinBound.
struct GridBlock {
  const GridWindows* windows = nullptr;
  const void* x = nullptr;  // first plane of the image
  void* y = nullptr;        // first point of the block in the first plane of the result
  std::int64_t channels = 1;
  std::int64_t plane = 1;   // elements of a plane of x
  std::int64_t places = 1;  // elements of a plane of the result
};

// Loop for GridForm::run pixels, of float32, float16 or bfloat16 (grid_sample_loops.cc).
using GridLoop = void (*)(const GridBlock& block);
GridLoop FindGridLoop(DType dtype, std::int64_t run);

}  // namespace halftone
