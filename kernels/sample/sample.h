// Sampling of images at computed positions: GridSample, RoiAlign, MaxRoiPool, DeformConv, Col2Im.
//
// GridSample, RoiAlign: positions, weights and the weighted sum in double, one rounding:
//   |error| <= u |y| + 16 * 2^-53 * taps * sum |w x|, with u that of the dtype.
// In 16-bit dtypes the blocks of GridSample round to float32 first, which adds 2^-24 |y|. Positions
// come from the operand as stored (float32 for the grid), with a few roundings in double. If the
// image changes by at most s per pixel, these roundings change the result by at most 2^-49 s
// extent. Taps of GridSample on one pixel count as one.
//
// MaxRoiPool: exact. ONNX leaves open how the bounds of the parts of a region are rounded; here
// they are floor and ceil of exact fractions.
//
// DeformConv: positions, samples and the sum of the bias b and K products in double, one rounding:
//   |error| <= u |y| + (K + 16) 2^-53 (|b| + sum |w m x|)
// over the four pixels of each sample, with w the weight of the filter, m the mask, and x the pixel
// times its weight in the sample.
//
// Col2Im: each pixel is the sum of the blocks that cover it, in double in the order of the elements
// of a block, rounded once; integers wrap.
#pragma once

#include <span>

#include "kernels/kernel_table.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> SampleKernels();

std::string_view RefuseGridSampleBlocks(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareGridSampleBlocks(const KernelQuery& query);
void RunGridSampleBlocks(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareGridSampleReference(const KernelQuery& query);
void RunGridSampleReference(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareRoiAlign(const KernelQuery& query);
void RunRoiAlign(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareMaxRoiPool(const KernelQuery& query);
void RunMaxRoiPool(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareDeformConv(const KernelQuery& query);
void RunDeformConv(const KernelArgs& args) noexcept;
std::unique_ptr<KernelState> PrepareCol2Im(const KernelQuery& query);
void RunCol2Im(const KernelArgs& args) noexcept;

}  // namespace halftone
