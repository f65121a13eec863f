// Checks of problem sizes against oneDNN's 32-bit counts.
//
// oneDNN 2.6 takes extents as 64-bit integers and stores them, their products and the distances
// between elements in `int` (jit_conv_conf_t, the immediates of generated code). An extent beyond
// 2^31 - 1 is truncated: 2^31 images become 0, and oneDNN's division by it ends the process.
//
// A convolution is checked in two steps: its extents before it is cut into parts (which lists every
// call), then the bytes of each call.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/conv_parts.h"

namespace halftone {

inline constexpr std::int64_t kMostOfLibrary = std::numeric_limits<std::int32_t>::max();

// Approximate upper bound on the parts of a convolution before they are split for threads; their
// list takes 24 MiB.
inline constexpr std::int64_t kMostParts = std::int64_t{1} << 20;

// Accepts a call if every extent, stride, dilation, padding and window fits, and the images are few
// enough.
std::string_view RefusalOfExtents(const ConvCall& call);

// Accepts a oneDNN call for `problem` if its operands have less than 2 GiB each. `growth`: size of
// an operand inside oneDNN, as a multiple of its bytes.
std::string_view RefusalOfBytes(const ConvCall& call, const ConvProblem& problem,
                                std::int64_t growth);

// Checks extents and bytes of a whole matrix product, which bound those of its blocks.
std::string_view RefusalOfExtents(const MatrixCall& call);

}  // namespace halftone
