// Instruction sets of kernels, and those of this CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/cpu_facts.h"

namespace halftone {

using IsaMask = std::uint32_t;

inline constexpr IsaMask kIsaAny = 0;           // portable C++, or Highway's own run-time dispatch
inline constexpr IsaMask kIsaAvx2 = 1U << 0;    // AVX2, FMA and F16C
inline constexpr IsaMask kIsaAvx512 = 1U << 1;  // AVX-512 F, BW, DQ, VL
inline constexpr IsaMask kIsaAvx512Bf16 = 1U << 2;  // vdpbf16ps
inline constexpr IsaMask kIsaAvx512Vnni = 1U << 3;  // vpdpbusd
inline constexpr IsaMask kIsaAvx512Fp16 = 1U << 4;  // arithmetic of binary16
inline constexpr IsaMask kIsaAmxBf16 = 1U << 5;     // tdpbf16ps
inline constexpr IsaMask kIsaAmxInt8 = 1U << 6;     // tdpbusd

// One row per instruction set. To add a set: a constant above and a row in cpu_isa.cc.
struct InstructionSet {
  IsaMask bit;
  std::string_view name;
  IsaMask includes;   // sets that every CPU with this set has; these include others in turn
  CpuFacts required;  // bits that it needs in addition to those of `includes`
};

std::span<const InstructionSet> InstructionSets();

// The sets of `mask` and all that they include.
IsaMask WithIncluded(IsaMask mask);

// Instruction sets that a CPU with these facts can use. A set is left out if the CPU lacks a set
// that it includes.
IsaMask IsaOf(const CpuFacts& facts);

// A Highway target that kernels are compiled for, in addition to the portable fallback.
struct VectorTarget {
  std::int64_t target;  // HWY_AVX2, ...
  IsaMask needs;
};

// The targets that kernels are compiled for, best last. HALFTONE_DECLINED_TARGETS
// (vector_targets.h) has Highway's other targets of x86.
std::span<const VectorTarget> VectorTargets();

// Reason why a CPU with these facts cannot use a set of `isa` although it has the instructions: the
// operating system does not save the registers, or does not permit this process to use them. Empty
// if there is no such set.
std::string_view RefusalOfSystem(IsaMask isa, const CpuFacts& facts);
std::string_view RefusalOfSystem(IsaMask isa);  // this CPU

// Instruction sets of this CPU, without the limit of HALFTONE_MAX_ISA.
IsaMask CpuIsa();

// Instruction sets that kernels may use: those of CpuIsa() that the environment variable
// HALFTONE_MAX_ISA allows. Its value is `baseline`, or names of InstructionSets() joined by `+`,
// each with everything that it includes. Without the variable, or if it is empty, all are allowed.
// The first call reads the variable and also limits Highway's dispatch; the result holds for the
// process. Error kUsage for any other value.
IsaMask DetectIsa();

// "avx2+avx512+avx512_bf16"; "baseline" for none. Part of the key of a measurement.
std::string IsaName(IsaMask mask);

}  // namespace halftone
