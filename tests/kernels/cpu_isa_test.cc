// Which instruction sets a CPU has, decided from what it reports. No target is disabled here: the
// last test sees all that Highway offers.
#include "kernels/cpu_isa.h"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#define HWY_WANT_AVX3_DL
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/cpu_isa_for_tests.h"
#include "kernels/kernel_table.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// What a CPU with every known instruction set reports.
CpuFacts EveryFact() {
  CpuFacts facts;
  for (const InstructionSet& set : InstructionSets()) {
    facts.leaf1_ecx |= set.required.leaf1_ecx;
    facts.leaf7_ebx |= set.required.leaf7_ebx;
    facts.leaf7_ecx |= set.required.leaf7_ecx;
    facts.leaf7_edx |= set.required.leaf7_edx;
    facts.leaf7_1_eax |= set.required.leaf7_1_eax;
    facts.xcr0 |= set.required.xcr0;
    facts.tiles = facts.tiles || set.required.tiles;
  }
  return facts;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// The bits of the table against the compiler's names for them (clang spells some in another way).
TEST(CpuIsaTest, TheNamedBitsHaveAll) {
  CpuFacts facts;
  facts.leaf1_ecx = bit_FMA | bit_F16C;
  facts.leaf7_ebx = bit_AVX2 | bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  facts.leaf7_ecx = bit_AVX512VNNI;
  facts.leaf7_edx = bit_AVX512FP16 | bit_AMX_TILE | bit_AMX_BF16 | bit_AMX_INT8;
  facts.leaf7_1_eax = bit_AVX512BF16;
  facts.xcr0 = kTileState | 0xe7;  // x87, SSE, AVX, AVX-512
  facts.tiles = true;
  EXPECT_EQ(IsaName(IsaOf(facts)),
            "avx2+avx512+avx512_bf16+avx512_vnni+avx512_fp16+amx_bf16+amx_int8");
  EXPECT_TRUE(facts.Has(EveryFact()));
  EXPECT_TRUE(EveryFact().Has({.leaf1_ecx = facts.leaf1_ecx,
                               .leaf7_ebx = facts.leaf7_ebx,
                               .leaf7_ecx = facts.leaf7_ecx,
                               .leaf7_edx = facts.leaf7_edx,
                               .leaf7_1_eax = facts.leaf7_1_eax}));
}
#endif

TEST(CpuIsaTest, NoFactsAreBaseline) {
  EXPECT_EQ(IsaOf({}), kIsaAny);
  EXPECT_EQ(IsaName(IsaOf({})), "baseline");
}

TEST(CpuIsaTest, TilesNeedTheOperatingSystem) {
  const IsaMask all = IsaOf(EveryFact());
  ASSERT_NE(all & kIsaAmxBf16, kIsaAny);
  CpuFacts refused = EveryFact();
  refused.tiles = false;
  EXPECT_EQ(IsaOf(refused), all & ~(kIsaAmxBf16 | kIsaAmxInt8));
  CpuFacts not_saved = EveryFact();
  not_saved.xcr0 &= ~kTileState;
  EXPECT_EQ(IsaOf(not_saved), all & ~(kIsaAmxBf16 | kIsaAmxInt8));
}

TEST(CpuIsaTest, WhatTheOperatingSystemRefusesHasAReason) {
  const IsaMask amx = kIsaAmxBf16 | kIsaAmxInt8;
  EXPECT_EQ(RefusalOfSystem(amx | kIsaAvx512, EveryFact()), "");
  EXPECT_EQ(RefusalOfSystem(amx | kIsaAvx512, {}), "") << "the CPU has none of them";
  CpuFacts refused = EveryFact();
  refused.tiles = false;
  EXPECT_EQ(RefusalOfSystem(kIsaAmxInt8, refused),
            "the operating system did not permit AMX tile registers (arch_prctl)");
  EXPECT_EQ(RefusalOfSystem(kIsaAvx512, refused), "");
  refused.leaf7_edx &= ~(1U << 25);
  EXPECT_EQ(RefusalOfSystem(kIsaAmxInt8, refused), "") << "the CPU has no AMX-INT8";
  CpuFacts not_saved = EveryFact();
  not_saved.xcr0 &= 0x7;  // x87, SSE, AVX
  not_saved.tiles = false;
  for (const IsaMask isa : {kIsaAvx512, kIsaAmxBf16}) {
    EXPECT_EQ(RefusalOfSystem(isa, not_saved),
              "the operating system does not save its registers (XCR0)");
  }
}

TEST(CpuIsaTest, AKernelIsPassedOverForTheReasonOfTheOperatingSystem) {
  CpuFacts facts = EveryFact();
  facts.tiles = false;
  const Attributes attributes;
  const TensorType type{DType::kBFloat16, {64, 64}};
  KernelQuery query{.op = OpKind::kMatMul, .attributes = &attributes};
  query.inputs = {&type, &type};
  query.constants = {nullptr, nullptr};
  query.outputs = {&type};
  PlantCpuFactsForTests(&facts);
  const KernelChoice choice = SelectKernel(query, {.isa = kIsaAny});
  PlantCpuFactsForTests(nullptr);
  const auto amx = std::find_if(
      choice.passed_over.begin(), choice.passed_over.end(),
      [](const PassedOver& passed) { return passed.kernel == "matmul.bf16.amx_bf16"; });
  ASSERT_NE(amx, choice.passed_over.end());
  EXPECT_EQ(amx->reason,
            "needs amx_bf16: the operating system did not permit AMX tile registers (arch_prctl)");
}

TEST(CpuIsaTest, RegistersThatAreNotSavedTakeAwayWhatUsesThem) {
  CpuFacts no_avx512 = EveryFact();
  no_avx512.xcr0 &= 0x7;  // x87, SSE, AVX
  EXPECT_EQ(IsaOf(no_avx512), kIsaAvx2);
  CpuFacts no_avx = EveryFact();
  no_avx.xcr0 &= 0x3;
  EXPECT_EQ(IsaOf(no_avx), kIsaAny);
}

// A hypervisor may hide any bit: what needs it goes too, and what does not stays.
TEST(CpuIsaTest, WithoutOneOfThemWhatIncludesItIsGone) {
  const IsaMask all = IsaOf(EveryFact());
  for (const InstructionSet& set : InstructionSets()) {
    SCOPED_TRACE(set.name);
    CpuFacts facts = EveryFact();
    if (set.required.leaf7_1_eax != 0) {
      facts.leaf7_1_eax &= ~set.required.leaf7_1_eax;
    } else if (set.required.leaf7_ebx != 0) {
      facts.leaf7_ebx &= ~set.required.leaf7_ebx;
    } else if (set.required.leaf7_ecx != 0) {
      facts.leaf7_ecx &= ~set.required.leaf7_ecx;
    } else {
      facts.leaf7_edx &= ~(set.required.leaf7_edx & ~(1U << 24));  // not the tiles of both
    }
    IsaMask want = kIsaAny;
    for (const InstructionSet& other : InstructionSets()) {
      want |= (WithIncluded(other.bit) & set.bit) == 0 ? other.bit : kIsaAny;
    }
    EXPECT_EQ(IsaName(IsaOf(facts)), IsaName(want & all));
  }
}

TEST(CpuIsaTest, IncludedSetsAreClosed) {
  for (const InstructionSet& set : InstructionSets()) {
    const IsaMask with = WithIncluded(set.bit);
    EXPECT_EQ(WithIncluded(with), with) << set.name;
    EXPECT_EQ(set.includes & set.bit, kIsaAny) << set.name;
  }
  EXPECT_EQ(WithIncluded(kIsaAvx512Bf16), kIsaAvx2 | kIsaAvx512 | kIsaAvx512Vnni | kIsaAvx512Bf16);
}

TEST(CpuIsaTest, ThisCpuAllowsAtMostWhatItHas) {
  EXPECT_EQ(DetectIsa() & ~CpuIsa(), kIsaAny);
  EXPECT_EQ(WithIncluded(DetectIsa()), DetectIsa());
#if defined(__x86_64__)
  // gcc's own detection, as a second opinion on what it knows.
  EXPECT_EQ((CpuIsa() & kIsaAvx2) != 0,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ((CpuIsa() & kIsaAvx512) != 0,
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
  EXPECT_EQ((CpuIsa() & kIsaAvx512Bf16) != 0, __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_EQ((CpuIsa() & kIsaAvx512Vnni) != 0, __builtin_cpu_supports("avx512vnni") != 0);
#endif
}

// A target that no list knows would be compiled, tested on no machine, and left out of
// HALFTONE_MAX_ISA.
TEST(CpuIsaTest, EveryHighwayTargetIsListedOrDeclined) {
#if HWY_ARCH_X86
  std::int64_t known = HWY_SSSE3 | HWY_SSE4 | HWY_SCALAR | HWY_EMU128;
  for (const VectorTarget& row : VectorTargets()) {
    known |= row.target;
  }
  EXPECT_EQ(HWY_TARGETS & ~known, 0)
      << "Highway offers a target of x86 that is unknown here: give it a row in kTargets of "
         "kernels/cpu_isa.cc, or decline it in kernels/vector_targets.h and above";
  EXPECT_NE(HWY_TARGETS & HWY_AVX3, 0);
#else
  GTEST_SKIP() << "targets of x86";
#endif
}

}  // namespace
}  // namespace halftone
