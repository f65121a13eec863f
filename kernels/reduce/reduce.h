// Reductions over axes, and ArgMax.
//
// Errors for n reduced elements before the rounding to the dtype of the result, with u = 2^-24; f
// is x, |x| or x^2:
//   ReduceMax, ReduceMin                          exact; NaN if any element is NaN
//   Sum, Mean, L1, SumSquare  high_precision      |error| <= 2u sum |f| (Mean: / n), sums in double
//                             high_performance    |error| <= (n/4 + 8) u sum |f| (Mean: / n), sums
//                                                 in float32
//   L2                        both                relative, half of the bound of SumSquare plus 2u
//   ReduceProd                                    relative (n + 6) u, unless it over- or underflows
//   ArgMax, ArgMin                                exact; NaN counts as extreme, -0 equals 0
//   LogSum                    absolute r / (1 - r) + u |y|, with r the relative error of the sum;
//                             the sum must be below 2^128
//   LogSumExp  high_precision absolute (ln n + 5) u + u |y|: ln n u of x - max, whose rounding
//                             u |x - max| is weighted over the sum; 2u of ExpPrecise; u of the sum
//              high_performance absolute 1e-4 + (ln n + n/4 + 8) u + u |y|: ExpFast 9e-5; sums in
//                             float32
//   LogSum and LogSumExp, specification  absolute 2^-50, and one rounding
// n/4 holds for vectors of four or more lanes. It is n without vectors, and for columns, which have
// one sum a lane. The bounds of SumSquare and L2 hold while squares neither over- nor underflow
// float32. Integers are exact modulo 2^bits; Mean and L2 truncate. The vector entries accept
// adjacent axes, the reference any axes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> ReduceKernels();

// Flag for each axis of the input: true if it is reduced. The constant input 1 lists the axes.
// Without it, or if it is empty, all axes are reduced, or none with noop_with_empty_axes. Error
// kUnsupported if the axes are not constant.
std::vector<bool> ReducedAxes(const KernelQuery& query);

// Tile of a reduction: `count` neighbouring columns of x[length, inner] or, if inner is 1, the rows
// of x[count, length]. A result does not depend on the rest of its tile.
struct ReduceTile {
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t count = 1;
};

// Writes the `count` results of a tile to y.
using ReduceLoop = void (*)(const void* x, void* y, const ReduceTile& tile);
ReduceLoop FindReduceLoop(OpKind op, DType dtype, ImplMode mode);
// Loop of ReduceLogSumExp, whatever `op` is (log_sum_exp_loops.cc).
ReduceLoop FindLogSumExpLoop(OpKind op, DType dtype, ImplMode mode);

// Specification (reference.cc).
std::unique_ptr<KernelState> PrepareReduceReference(const KernelQuery& query);
std::size_t ReduceReferenceScratch(const KernelState& state);
void RunReduceReference(const KernelArgs& args) noexcept;

// ArgMax and ArgMin (arg_max.cc).
struct ArgMaxForm {
  bool least = false;  // ArgMin
  bool last = false;   // the last of equal elements
};

// A tile of x[length, inner]: neighbouring columns, at most kArgMaxColumns of them.
struct ArgMaxTile {
  std::int64_t length = 1;  // 1 to 2^31 - 1
  std::int64_t inner = 1;
  std::int64_t count = 1;
};

inline constexpr std::int64_t kArgMaxColumns = 512;  // values and indices: 4 KiB

// For `count` columns from x on, y[column] = index of the extreme element; float32, float16 and
// bfloat16.
using ArgMaxLoop = void (*)(const void* x, std::int64_t* y, const ArgMaxTile& tile);
ArgMaxLoop FindArgMaxLoop(DType dtype, ArgMaxForm form);

std::string_view RefuseArgMaxLoop(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareArgMaxLoop(const KernelQuery& query);
void RunArgMaxLoop(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareArgMaxReference(const KernelQuery& query);
void RunArgMaxReference(const KernelArgs& args) noexcept;

}  // namespace halftone
