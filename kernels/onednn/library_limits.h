// What does not fit into the library's 32-bit counts, so that it never gets there.
//
// oneDNN 2.6 takes extents as 64-bit integers and keeps them, their products and the distances
// between elements in `int` (jit_conv_conf_t, the immediates of generated code). Beyond 2^31 - 1 an
// extent is cut: 2^31 images become none, by which it then divides, which ends the process.
//
// A convolution is refused in two steps: extents before it is cut into calls (cutting lists every
// call), bytes of each call behind that.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "kernels/conv/conv_call.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/conv_parts.h"

namespace halftone {

inline constexpr std::int64_t kMostOfLibrary = std::numeric_limits<std::int32_t>::max();

// Calls that a convolution may be cut into, about, without those for threads: their list takes 24
// MiB.
inline constexpr std::int64_t kMostParts = std::int64_t{1} << 20;

// Empty: every extent, stride, dilation, padding and window fits, and there are few enough images.
std::string_view RefusalOfExtents(const ConvCall& call);

// Empty: operands of a call of the library for `problem` have less than 2 GiB each. `growth`: what
// an operand takes inside the library, of its own bytes.
std::string_view RefusalOfBytes(const ConvCall& call, const ConvProblem& problem,
                                std::int64_t growth);

// As the two above for a matrix product; a block of it has less than the whole.
std::string_view RefusalOfExtents(const MatrixCall& call);

}  // namespace halftone
