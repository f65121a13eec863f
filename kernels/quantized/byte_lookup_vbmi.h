// Lookups in tables of 256 bytes by the byte shuffles of AVX512-VBMI. For 64 bytes, two shuffles of
// 128 table bytes each and a choice between them replace sixteen shuffles of 16 bytes
// (byte_loops.cc).
#pragma once

#include <cstdint>

namespace halftone {

// True if this CPU has AVX512-VBMI and DetectIsa() allows AVX512-VNNI, which stands for the CPU
// generation. CPUs have both from Ice Lake and Zen 4 on; some older ones have VNNI alone.
bool CanLookUpByVbmi();

// y[i] = table[x[i]]; only where CanLookUpByVbmi().
void LookUpBytesByVbmi(const std::uint8_t* x, const std::uint8_t* table, std::uint8_t* y,
                       std::int64_t count) noexcept;

}  // namespace halftone
