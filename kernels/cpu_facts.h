// What the CPU reports of itself and what the operating system lets programs use of it, as bits.
#pragma once

#include <cstdint>

namespace halftone {

// Registers of the instruction CPUID by leaf (Intel SDM volume 2A, "CPUID"; AMD APM volume 3,
// appendix E), and XCR0, whose bits are the registers that the operating system saves.
struct CpuFacts {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t leaf7_ecx = 0;
  std::uint32_t leaf7_edx = 0;
  std::uint32_t leaf7_1_eax = 0;  // leaf 7, subleaf 1
  std::uint64_t xcr0 = 0;
  bool tiles = false;  // the process may use the tile registers of AMX

  // Whether each bit of `wanted` is set here.
  [[nodiscard]] bool Has(const CpuFacts& wanted) const;
};

// Those of this CPU; nothing on other architectures. Where the CPU has AMX, asks the operating
// system for the tile registers (Linux: arch_prctl, ARCH_REQ_XCOMP_PERM), which holds for all
// threads that the process starts afterwards.
CpuFacts ReadCpuFacts();

}  // namespace halftone
