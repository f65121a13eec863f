#include "kernels/cpu_isa.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

// This file includes only the list of targets, as it compiles no kernels.
#include "hwy/targets.h"
#include "kernels/cpu_isa_for_tests.h"
#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::uint32_t Bit(int n) {
  return std::uint32_t{1} << n;
}

// Bits of XCR0: registers of AVX; those and the masks, upper halves and upper sixteen of AVX-512.
constexpr std::uint64_t kAvxState = Bit(1) | Bit(2);
constexpr std::uint64_t kAvx512State = kAvxState | Bit(5) | Bit(6) | Bit(7);
constexpr std::uint32_t kAmxTile = Bit(24);  // leaf 7, EDX

// The order is that of IsaName(), which stored measurements hold.
constexpr std::array kSets = {
    InstructionSet{kIsaAvx2,
                   "avx2",
                   kIsaAny,
                   {.leaf1_ecx = Bit(12) | Bit(29), .leaf7_ebx = Bit(5), .xcr0 = kAvxState}},
    InstructionSet{kIsaAvx512,
                   "avx512",
                   kIsaAvx2,
                   {.leaf7_ebx = Bit(16) | Bit(17) | Bit(30) | Bit(31), .xcr0 = kAvx512State}},
    InstructionSet{kIsaAvx512Bf16, "avx512_bf16", kIsaAvx512Vnni, {.leaf7_1_eax = Bit(5)}},
    InstructionSet{kIsaAvx512Vnni, "avx512_vnni", kIsaAvx512, {.leaf7_ecx = Bit(11)}},
    InstructionSet{kIsaAvx512Fp16, "avx512_fp16", kIsaAvx512Bf16, {.leaf7_edx = Bit(23)}},
    InstructionSet{kIsaAmxBf16,
                   "amx_bf16",
                   kIsaAvx512Bf16,
                   {.leaf7_edx = kAmxTile | Bit(22), .xcr0 = kTileState, .tiles = true}},
    InstructionSet{kIsaAmxInt8,
                   "amx_int8",
                   kIsaAvx512Vnni,
                   {.leaf7_edx = kAmxTile | Bit(25), .xcr0 = kTileState, .tiles = true}},
};

constexpr std::array kTargets = {
    VectorTarget{HWY_AVX2, kIsaAvx2},
    VectorTarget{HWY_AVX3, kIsaAvx512},
    VectorTarget{HWY_AVX3_DL, kIsaAvx512 | kIsaAvx512Vnni},
};

constexpr std::string_view kBaseline = "baseline";

[[noreturn]] void ThrowUnknown(std::string_view name) {
  std::string known(kBaseline);
  for (const InstructionSet& set : kSets) {
    known += fmt::format(", {}", set.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("environment variable HALFTONE_MAX_ISA: expected one of {}, or several "
                          "joined by +, got '{}'",
                          known, name));
}

IsaMask BitOf(std::string_view name) {
  if (name == kBaseline) {
    return kIsaAny;
  }
  const auto* found = std::find_if(kSets.begin(), kSets.end(),
                                   [&](const InstructionSet& set) { return set.name == name; });
  if (found == kSets.end()) {
    ThrowUnknown(name);
  }
  return found->bit;
}

IsaMask ParseLimit(std::string_view names) {
  IsaMask mask = kIsaAny;
  for (;;) {
    const std::size_t end = names.find('+');
    mask |= BitOf(names.substr(0, end));
    if (end == std::string_view::npos) {
      return WithIncluded(mask);
    }
    names.remove_prefix(end + 1);
  }
}

// Disables the targets of Highway whose instructions are not allowed, and all that kTargets does
// not list. Targets are bits, the best ones lowest.
void LimitHighway(IsaMask allowed) {
  std::int64_t disabled = HWY_AVX2 | (HWY_AVX2 - 1);
  for (const VectorTarget& row : kTargets) {
    if ((row.needs & ~allowed) == 0) {
      disabled &= ~row.target;
    }
  }
  hwy::DisableTargets(disabled);
}

IsaMask SupportedAndAllowed() {
  const char* names = std::getenv("HALFTONE_MAX_ISA");
  if (names == nullptr || *names == '\0') {
    return CpuIsa();
  }
  const IsaMask allowed = ParseLimit(names);
  LimitHighway(allowed);
  return CpuIsa() & allowed;
}

constinit std::atomic<IsaMask> pretended{kIsaAny};
constinit std::atomic<const CpuFacts*> planted{nullptr};

const CpuFacts& FactsOfThisCpu() {
  static const CpuFacts kFacts = ReadCpuFacts();
  return kFacts;
}

}  // namespace

std::span<const InstructionSet> InstructionSets() {
  return kSets;
}

IsaMask WithIncluded(IsaMask mask) {
  for (IsaMask before = kIsaAny; before != mask;) {
    before = mask;
    for (const InstructionSet& set : kSets) {
      mask |= (mask & set.bit) != 0 ? set.includes : kIsaAny;
    }
  }
  return mask;
}

IsaMask IsaOf(const CpuFacts& facts) {
  IsaMask reported = kIsaAny;
  for (const InstructionSet& set : kSets) {
    reported |= facts.Has(set.required) ? set.bit : kIsaAny;
  }
  IsaMask usable = kIsaAny;
  for (const InstructionSet& set : kSets) {
    usable |= (WithIncluded(set.bit) & ~reported) == 0 ? set.bit : kIsaAny;
  }
  return usable;
}

std::string_view RefusalOfSystem(IsaMask isa, const CpuFacts& facts) {
  CpuFacts permitted = facts;
  permitted.tiles = true;
  CpuFacts saved = permitted;
  saved.xcr0 = ~std::uint64_t{0};
  return (isa & IsaOf(permitted) & ~IsaOf(facts)) != 0
             ? "the operating system did not permit AMX tile registers (arch_prctl)"
         : (isa & IsaOf(saved) & ~IsaOf(permitted)) != 0
             ? "the operating system does not save its registers (XCR0)"
             : "";
}

std::string_view RefusalOfSystem(IsaMask isa) {
  const CpuFacts* facts = planted.load(std::memory_order_acquire);
  return RefusalOfSystem(isa, facts != nullptr ? *facts : FactsOfThisCpu());
}

std::span<const VectorTarget> VectorTargets() {
  return kTargets;
}

IsaMask CpuIsa() {
  static const IsaMask kMask = IsaOf(FactsOfThisCpu());
  return kMask;
}

IsaMask DetectIsa() {
  static const IsaMask kMask = SupportedAndAllowed();
  return kMask | pretended.load(std::memory_order_relaxed);
}

void PlantCpuFactsForTests(const CpuFacts* facts) {
  planted.store(facts, std::memory_order_release);
}

void PretendIsaForTests(IsaMask isa) {
  pretended.fetch_or(isa, std::memory_order_relaxed);
}

std::string IsaName(IsaMask mask) {
  std::string name;
  for (const InstructionSet& set : kSets) {
    if ((mask & set.bit) != 0) {
      name += (name.empty() ? "" : "+");
      name += set.name;
    }
  }
  return name.empty() ? std::string(kBaseline) : name;
}

}  // namespace halftone
