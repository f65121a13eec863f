// Checks of problem sizes against oneDNN's 32-bit counts.
//
// oneDNN 2.6 takes extents as 64-bit integers, but stores them, their products and the distances
// between elements in `int` (jit_conv_conf_t, the immediates of generated code). It truncates an
// extent beyond 2^31 - 1: 2^31 images become 0, and oneDNN's division by that number ends the
// process.
//
// A convolution is checked in two steps: its extents before it is cut into parts, because the cut
// lists all parts; then the bytes of each call.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/conv_parts.h"

namespace halftone {

inline constexpr std::int64_t kMostOfLibrary = std::numeric_limits<std::int32_t>::max();

// Upper bound on the images, and approximately on the parts, of a convolution before it is cut for
// threads. A list of so many parts takes 24 MiB.
inline constexpr std::int64_t kMostParts = std::int64_t{1} << 20;

// Empty if every extent, stride, dilation, padding, window and step between elements of a window
// fits into 32 bits, and there are at most kMostParts images and parts; else the reason for a
// refusal.
std::string_view RefusalOfExtents(const ConvCall& call);

// Empty if each operand of the oneDNN call for `problem` has less than 2 GiB; else the reason for a
// refusal. `growth`: size of an operand inside oneDNN, as a multiple of its bytes.
std::string_view RefusalOfBytes(const ConvCall& call, const ConvProblem& problem,
                                std::int64_t growth);

// Empty if extents and bytes of a whole matrix product, which bound those of its blocks, are within
// the limits; else the reason for a refusal.
std::string_view RefusalOfExtents(const MatrixCall& call);

}  // namespace halftone
