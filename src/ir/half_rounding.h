// Rounding of float32 numbers to a 16-bit format and back, in loops without branches, which the
// compiler computes for several numbers at a time.
#pragma once

#include <span>

namespace halftone {

// Sets to[i] to Float16::FromFloat(from[i]).ToFloat(), but for the payload of a NaN. `to` has the
// size of `from`, and may be the same.
void RoundToFloat16(std::span<const float> from, std::span<float> to);

// Sets to[i] to BFloat16::FromFloat(from[i]).ToFloat(), likewise.
void RoundToBFloat16(std::span<const float> from, std::span<float> to);

}  // namespace halftone
