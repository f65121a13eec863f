// Interpolation along two neighbouring axes in float32, one axis after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cast/half_loops.h"
#include "kernels/resize/separable_taps.h"

namespace halftone {

// Resizes a source [outer, height, width, inner] to a target [outer, rows, columns, inner], with
// weights v of rows and h of columns:
//
//   y = round(sum_j h[j] * sum_k v[k] * x[k, j]), sums in float32, rounded once to the dtype of y
//
// Error: |y - exact| <= u_y |exact| + g(2 (K + 1)) * sum |v h x|, with g(n) = n u / (1 - n u), u =
// 2^-24, K = 2 (linear) or 4 (cubic), and u_y the unit roundoff of a 16-bit dtype, 0 for float32.
// Each pass has K products by rounded weights and K - 1 sums. Source: Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., 3.1. Checked by
// ResizeTest.InterpolatesWithinTheBound.
class SeparableResize {
 public:
  SeparableResize(const std::vector<AxisTaps>& taps, DType dtype);

  [[nodiscard]] std::size_t scratch_bytes() const;

  void Run(const void* source, void* target, std::byte* scratch) const noexcept;

 private:
  void RunRow(std::int64_t item, const std::byte* source, std::byte* target,
              float* scratch) const noexcept;
  void BlendRows(std::int64_t row, const std::byte* plane, float* blended,
                 float* widened) const noexcept;
  void BlendColumns(const float* blended, float* target) const noexcept;

  DType dtype_;
  HalfLoop widen_ = nullptr;  // null: float32
  HalfLoop narrow_ = nullptr;
  SeparableTaps taps_;
};

}  // namespace halftone
