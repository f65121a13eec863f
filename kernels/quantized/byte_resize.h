// QLinearResize (quantized.h has the formula): Resize between quantised tensors in the modes
// nearest, linear and cubic, along one axis or two neighbouring axes.
//
// All kernels give the same bits. Their error against the exact interpolation v* of the real
// numbers, in steps of the result, with K taps along one axis and L along the other, and r = sx /
// sy:
//   |v - v*| <= g(K + L + 4) r sum |h w (x - zx)|, g(n) = n u / (1 - n u), u = 2^-24.
// Each axis makes one rounding of its weights, one of the product and K - 1 or L - 1 of the sums; r
// and the product with r make one each. y is the byte nearest to v*, unless v* is closer than this
// bound to the middle between two bytes. Source: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., 3.1. Checked by QLinearResizeTest.IsWithinTheBoundOfTheInterpolation.
#pragma once

#include <string_view>

#include "kernels/kernel_table.h"
#include "kernels/resize/separable_taps.h"

namespace halftone {

// Accepts what RefuseResize() accepts with float32 scales, except three resized axes, two resized
// axes that are not neighbours, antialias and tf_crop_and_resize.
std::string_view ByteResizeRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteResize(const KernelQuery& query);
std::size_t ByteResizeScratchBytes(const KernelState& state);
void RunByteResize(const KernelArgs& args) noexcept;

// Reference (byte_operators_reference.cc), which also accepts scales of other floating types.
std::string_view ByteResizeReferenceRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareByteResizeReference(const KernelQuery& query);
void RunByteResizeReference(const KernelArgs& args) noexcept;

// Taps of a query that is not refused.
SeparableTaps ByteResizeTaps(const KernelQuery& query);

}  // namespace halftone
