// What the CPU can do, as far as kernels ask for it.
#pragma once

#include <cstdint>
#include <string>

namespace halftone {

using IsaMask = std::uint32_t;

inline constexpr IsaMask kIsaAny = 0;           // portable C++, or Highway's own run-time dispatch
inline constexpr IsaMask kIsaAvx2 = 1U << 0;    // AVX2, FMA and F16C
inline constexpr IsaMask kIsaAvx512 = 1U << 1;  // AVX-512 F, BW, DQ, VL
inline constexpr IsaMask kIsaAvx512Bf16 = 1U << 2;  // vdpbf16ps
inline constexpr IsaMask kIsaAvx512Vnni = 1U << 3;  // vpdpbusd

// The instruction sets of this CPU that the operating system has enabled, at most those of the
// environment variable HALFTONE_MAX_ISA: baseline, avx2, avx512, avx512_vnni or avx512_bf16 (each
// has those before it). The first call settles it for the process, for Highway's own dispatch too.
// Error kUsage for another value.
IsaMask DetectIsa();

// Whether AVX-512 is allowed (DetectIsa()) and a multiply-add of 512 bits is one operation: Zen 4
// makes two of it, so that arithmetic costs twice as much there beside moving data.
bool HasWholeAvx512();

// Whether 16-bit operands may as well be widened between multiply-adds. On Zen 5 products of
// float16 that do take 0.86 to 1.02 of the time of those that widen panels of B before (`gemm/` of
// halftone_bench, medians of 5 pairs); false on other CPUs, where panels are widened as before.
bool HasFreeWidening();

// "avx2+avx512+avx512_bf16"; "baseline" for none. Part of the key of a measurement.
std::string IsaName(IsaMask mask);

}  // namespace halftone
