// Feature bits of the CPU (CPUID), the register states that the operating system saves (XCR0), and
// its permission to use AMX.
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

  // True if everything that is set in `wanted` is set in *this.
  [[nodiscard]] bool Has(const CpuFacts& wanted) const;
};

// Bits of XCR0 for the tile registers of AMX: TILECFG and TILEDATA.
inline constexpr std::uint64_t kTileState = (1U << 17) | (1U << 18);

// Reads the facts of this CPU; all are 0 on architectures other than x86-64. If the CPU has AMX,
// the call also asks the operating system for permission to use the tile registers (Linux:
// arch_prctl, ARCH_REQ_XCOMP_PERM). Threads that the process starts afterwards have it too.
CpuFacts ReadCpuFacts();

}  // namespace halftone
