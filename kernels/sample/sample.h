// Images read or written at computed places: GridSample, RoiAlign, Col2Im.
//
// GridSample, RoiAlign: places and weights in double, the weighted sum in double, one rounding:
//   |error| <= u |y| + 16 * 2^-53 * taps * sum |w x|, u that of the dtype. The places themselves
//   are those of the operand as stored (float32 for the grid), to which a few roundings in double
//   are added: a sampled image that changes by at most s per pixel moves by another 2^-49 s extent.
// Col2Im: each pixel is the sum of the blocks that cover it, in double in the order of the block's
//   elements, one rounding; integers wrap.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SampleKernels();

std::unique_ptr<KernelState> PrepareGridSample(const KernelQuery& query);
void RunGridSample(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareRoiAlign(const KernelQuery& query);
void RunRoiAlign(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareCol2Im(const KernelQuery& query);
void RunCol2Im(const KernelArgs& args) noexcept;

}  // namespace halftone
