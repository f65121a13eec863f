// Softmax and LogSoftmax along one axis, or along all axes from one on (attribute coerce_2d, the
// form before opset 13).
//
//   Softmax  y_i = e^(x_i - max) / S,  LogSoftmax  y_i = x_i - max - ln S,  S = sum e^(x_j - max)
//
// A Softmax that the passes made (src/passes/fuse/fuse_softmax.h) may have more: scale and fill of
// its StepSoftmax (1 and -inf by default), and the optional operands mask (of the dtype of x) and
// keep (bool), both broadcast to x. Its argument in place of x is
//   t = scale x + mask where keep, fill elsewhere
// `drop` inverts keep. `mask_last` also adds the mask to the fill: fill + mask elsewhere. The
// relative error grows by 2u (a_i + sum_j y_j a_j), where a = |scale x| + |mask| or |fill| +
// |mask|: product and sum change t by at most 2u a, and so e^t by 2u a relatively.
//
// Errors for a group of n elements before the rounding to the dtype of the result, with u = 2^-24:
//   high_precision   Softmax     rel (-ln y + ln n + 7) u. x - max rounds by u |x - max|, where
//                                |x - max| <= -ln y, and weighted over S at most ln n. ExpPrecise
//                                adds 2u in y and in S. The sum in pairs rounds by u, the total
//                                in double by u when stored, and the quotient by u.
//                    LogSoftmax  absolute (2 |y| + 2 ln n + 6) u.
//   high_performance Softmax     rel 1.9e-4 + (-ln y + ln n + n/4 + 8) u: ExpFast 9e-5 twice; sums
//                                in float32.
//                    LogSoftmax  absolute 1e-4 + (2 |y| + 2 ln n + n/4 + 8) u.
// Rows in float16 arithmetic, another variant of high_performance: kernels/softmax/fp16_rows.h. n/4
// holds for vectors of four or more lanes. Without vectors, and for columns, it is n/2, because
// pairs are summed first. Results below 2^-126 may be 0. A group with NaN, +inf, or nothing but
// -inf gives NaN.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SoftmaxKernels();

// A tensor as [outer, length, inner]: groups of `length` elements with stride `inner`.
struct SoftmaxGeometry {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
};

// Geometry from axis and coerce_2d. Error kModel when the axis is outside the rank.
SoftmaxGeometry SoftmaxGeometryOf(const KernelQuery& query);

// A group of contiguous elements with scale, mask and keep. Null: absent.
struct MaskedSoftmaxRow {
  const void* x = nullptr;
  const void* mask = nullptr;
  const std::uint8_t* keep = nullptr;
  void* y = nullptr;
  std::int64_t length = 0;
  float scale = 1;
  float fill = 0;          // value where keep is 0
  bool drop = false;       // fill where keep is not 0 instead
  bool mask_last = false;  // add the mask to `fill`, too
};

// Loops of Softmax or LogSoftmax: `rows` for groups of contiguous elements (inner == 1), `columns`
// for groups with a stride.
struct SoftmaxLoops {
  void (*rows)(const void* x, void* y, std::int64_t row_count, std::int64_t length) = nullptr;
  // `columns` neighbouring columns of one outer index.
  void (*columns)(const void* x, void* y, const SoftmaxGeometry& geometry,
                  std::int64_t columns) = nullptr;
  void (*masked_row)(const MaskedSoftmaxRow& row) = nullptr;  // Softmax only
};

SoftmaxLoops FindSoftmaxLoops(OpKind op, DType dtype, ImplMode mode);

}  // namespace halftone
