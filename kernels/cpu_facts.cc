#include "kernels/cpu_facts.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace halftone {
namespace {

#if defined(__x86_64__)

constexpr std::uint32_t kOsSavesState = 1U << 27;  // leaf 1, ECX: XGETBV may be used

// Inline assembler, because the intrinsic needs a compiler flag for the whole file.
std::uint64_t ReadXcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

// Linux gives the tile registers to processes that ask (Documentation/arch/x86/xstate.rst of the
// kernel); an older one does not know the question and does not save them either.
bool AskForTiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILE_DATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

#endif

}  // namespace

bool CpuFacts::Has(const CpuFacts& wanted) const {
  const auto lacks = [](auto has, auto wants) { return (wants & ~has) != 0; };
  return !lacks(leaf1_ecx, wanted.leaf1_ecx) && !lacks(leaf7_ebx, wanted.leaf7_ebx) &&
         !lacks(leaf7_ecx, wanted.leaf7_ecx) && !lacks(leaf7_edx, wanted.leaf7_edx) &&
         !lacks(leaf7_1_eax, wanted.leaf7_1_eax) && !lacks(xcr0, wanted.xcr0) &&
         (tiles || !wanted.tiles);
}

CpuFacts ReadCpuFacts() {
  CpuFacts facts;
#if defined(__x86_64__)
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    facts.leaf1_ecx = ecx;
  }
  std::uint32_t subleaves = 0;
  if (__get_cpuid_count(7, 0, &subleaves, &ebx, &ecx, &edx) != 0) {
    facts.leaf7_ebx = ebx;
    facts.leaf7_ecx = ecx;
    facts.leaf7_edx = edx;
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
      facts.leaf7_1_eax = eax;
    }
  }
  if ((facts.leaf1_ecx & kOsSavesState) != 0) {
    facts.xcr0 = ReadXcr0();
  }
  facts.tiles = (facts.xcr0 & kTileState) == kTileState && AskForTiles();
#endif
  return facts;
}

}  // namespace halftone
