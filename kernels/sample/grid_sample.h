// GridSample: the resolved call, and the taps of a point along each axis.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/kernel_table.h"

namespace halftone {

inline constexpr std::size_t kGridAxes = 3;  // missing leading axes have extent 1

enum class GridMode : std::uint8_t { kNearest, kLinear, kCubic };
enum class GridPadding : std::uint8_t { kZeros, kBorder, kReflection };

struct GridState : KernelState {
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t places = 1;  // elements of a result plane
  int axes = 2;
  DType grid_dtype = DType::kFloat32;  // or double
  std::array<std::int64_t, kGridAxes> extent{1, 1, 1};
  GridMode mode = GridMode::kLinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;

  [[nodiscard]] std::int64_t plane() const { return extent[0] * extent[1] * extent[2]; }
};

// Taps along one axis: up to 4 indices, -1 for zeros, and their weights.
struct GridTaps {
  int count = 1;
  std::array<std::int64_t, 4> index{};
  std::array<double, 4> weight{1, 0, 0, 0};
};

using GridPointTaps = std::array<GridTaps, kGridAxes>;

// Keys' kernel with a = -0.75, as in ONNX.
inline double GridCubicWeight(double distance) {
  constexpr double kA = -0.75;
  const double d = std::abs(distance);
  if (d <= 1) {
    return ((kA + 2) * d - (kA + 3)) * d * d + 1;
  }
  return d < 2 ? ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA : 0;
}

// Error kModel for a mode or padding that ONNX does not have.
void FillGridState(const KernelQuery& query, GridState& state);

// Pixel coordinate of the normalised coordinate `normal` (-1 and 1 are the ends), before padding.
double GridPixel(const GridState& state, std::size_t axis, double normal);

// Taps at a pixel coordinate, and taps of point `point` of the grid, by the definition of ONNX.
GridTaps GridTapsAtPixel(const GridState& state, std::size_t axis, double x);
GridPointTaps GridTapsAt(const GridState& state, const void* grid, std::int64_t point);

// Weighted sum over the pixels of plane `plane`, in double.
double GridSampleAt(const GridState& state, const void* x, std::int64_t plane,
                    const GridPointTaps& taps);

}  // namespace halftone
