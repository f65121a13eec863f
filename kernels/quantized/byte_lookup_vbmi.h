// Tables of 256 bytes by the byte shuffles of AVX512-VBMI: two of 128 bytes each and a choice
// between them for 64 bytes, in place of sixteen shuffles of 16 bytes (byte_loops.cc).
#pragma once

#include <cstdint>

namespace halftone {

// True if this CPU has AVX512-VBMI and kernels may use the instructions of its generation, those of
// AVX512-VNNI (DetectIsa()). CPUs have both from Ice Lake and Zen 4 on, VNNI alone before.
bool CanLookUpByVbmi();

// y[i] = table[x[i]]; only where CanLookUpByVbmi().
void LookUpBytesByVbmi(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                       std::int64_t count) noexcept;

}  // namespace halftone
