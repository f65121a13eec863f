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
  std::int64_t places = 1;  // elements of a plane of the result
  int axes = 2;
  DType grid_dtype = DType::kFloat32;                   // or float64
  std::array<std::int64_t, kGridAxes> extent{1, 1, 1};  // of a plane of x
  GridMode mode = GridMode::kLinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;

  [[nodiscard]] std::int64_t plane() const { return extent[0] * extent[1] * extent[2]; }
};

// Taps along one axis: up to 4 indices and their weights. Index -1 stands for zero.
struct GridTaps {
  int count = 1;
  std::array<std::int64_t, 4> index{};
  std::array<double, 4> weight{1, 0, 0, 0};
};

using GridPointTaps = std::array<GridTaps, kGridAxes>;

// Weight of a sample by the cubic kernel of Keys with a = -0.75, as in ONNX.
inline double GridCubicWeight(double distance) {
  constexpr double kA = -0.75;
  const double d = std::abs(distance);
  if (d <= 1) {
    return ((kA + 2) * d - (kA + 3)) * d * d + 1;
  }
  return d < 2 ? ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA : 0;
}

// Fills `state` from the query. Error kModel for a mode or padding that ONNX does not have.
void FillGridState(const KernelQuery& query, GridState& state);

// Pixel coordinate, before padding, of the normalised coordinate `normal`, whose ends are -1 and 1.
double GridPixel(const GridState& state, std::size_t axis, double normal);

// Taps along `axis` at the pixel coordinate x, by the definition of ONNX. Taps on one pixel are
// merged.
GridTaps GridTapsAtPixel(const GridState& state, std::size_t axis, double x);

// GridTapsAtPixel() of point `point` of the grid, for each axis.
GridPointTaps GridTapsAt(const GridState& state, const void* grid, std::int64_t point);

// Sum of the taps over plane `plane` of x, in double.
double GridSampleAt(const GridState& state, const void* x, std::int64_t plane,
                    const GridPointTaps& taps);

}  // namespace halftone
