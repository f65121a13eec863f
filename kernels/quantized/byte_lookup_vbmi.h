// Lookups in tables of 256 bytes by the byte shuffles of AVX512-VBMI. For 64 bytes, two shuffles in
// 128 bytes of the table each, and a choice between their results, replace sixteen shuffles of 16
// bytes (byte_loops.cc).
#pragma once

#include <cstdint>

namespace halftone {

// True if this CPU has AVX512-VBMI and DetectIsa() allows AVX512-VNNI, which stands for the
// generation of the CPU: CPUs from Ice Lake and Zen 4 on have both. Some older ones have VNNI
// alone.
bool CanLookUpByVbmi();

// y[i] = table[x[i]]. Requires CanLookUpByVbmi().
void LookUpBytesByVbmi(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                       std::int64_t count) noexcept;

}  // namespace halftone
