// Checks of problem sizes against oneDNN's 32-bit counts.
//
// oneDNN 2.6 takes extents as 64-bit integers and stores them, their products and the distances
// between elements in `int` (jit_conv_conf_t, the immediates of generated code). Beyond 2^31 - 1 an
// extent is truncated: 2^31 images become none, by which it then divides, which ends the process.
//
// A convolution is checked in two steps: extents before it is cut into parts (which lists every
// call), bytes of each call after that.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/conv_parts.h"

namespace halftone {

inline constexpr std::int64_t kMostOfLibrary = std::numeric_limits<std::int32_t>::max();

// Approximate most parts of a convolution, without those for threads: their list takes 24 MiB.
inline constexpr std::int64_t kMostParts = std::int64_t{1} << 20;

// Empty where every extent, stride, dilation, padding and window fits, and the images are few
// enough.
std::string_view RefusalOfExtents(const ConvCall& call);

// Empty where the operands of a oneDNN call for `problem` have less than 2 GiB each. `growth`: size
// of an operand inside oneDNN, as a multiple of its own bytes.
std::string_view RefusalOfBytes(const ConvCall& call, const ConvProblem& problem,
                                std::int64_t growth);

// RefusalOfExtents() and RefusalOfBytes() of a matrix product; a block of it has less than the
// whole.
std::string_view RefusalOfExtents(const MatrixCall& call);

}  // namespace halftone
