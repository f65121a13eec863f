// Feature bits of the CPU (CPUID), and what the operating system allows: the register states that
// it saves (XCR0), and the use of AMX.
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

  // True if every bit of `wanted` is set in *this.
  [[nodiscard]] bool Has(const CpuFacts& wanted) const;
};

// Bits of XCR0 for the tile registers of AMX: TILECFG and TILEDATA.
inline constexpr std::uint64_t kTileState = (1U << 17) | (1U << 18);

// Reads the facts of this CPU; all are 0 on architectures other than x86-64. Where the CPU has AMX,
// asks the operating system for the tile registers (Linux: arch_prctl, ARCH_REQ_XCOMP_PERM), which
// holds for all threads that the process starts afterwards.
CpuFacts ReadCpuFacts();

}  // namespace halftone
