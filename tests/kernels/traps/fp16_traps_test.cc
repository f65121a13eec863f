// Single instructions of AVX512-FP16, in software or, on a CPU that has them, in hardware: every
// form of their operands; what the software leaves alone.
#include "tests/kernels/traps/fp16_traps.h"

#include <gtest/gtest.h>

#if defined(__x86_64__) && defined(__linux__)
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/tile/fp16_emulated.h"
#include "src/base/rng.h"
#include "tests/kernels/traps/vector_registers.h"
#include "tests/kernels/traps/x86_operands.h"

namespace halftone::testing {
namespace {

// All registers before and after an instruction.
struct alignas(64) ZmmRegisters {
  ZmmRegister zmm[32];
};

#define HALFTONE_ALL_ZMM \
  "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define HALFTONE_CLOBBERED                                                                      \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",      \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", \
      "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", \
      "xmm31"

// `name`(registers, memory) executes the instruction, in which %1 is the register of `memory`.
#define HALFTONE_INSTRUCTION(name, instruction)                                         \
  [[gnu::target("avx512f,avx512bw"), gnu::noinline]] void name(ZmmRegisters& registers, \
                                                               const void* memory) {    \
    asm volatile(".irp r," HALFTONE_ALL_ZMM                                             \
                 "\n vmovdqu64 64*\\r(%0), %%zmm\\r\n .endr\n" instruction              \
                 "\n .irp r," HALFTONE_ALL_ZMM                                          \
                 "\n vmovdqu64 %%zmm\\r, 64*\\r(%0)\n .endr\n"                          \
                 "vzeroupper\n"                                                         \
                 :                                                                      \
                 : "r"(registers.zmm), "r"(memory)                                      \
                 : "memory", "rax", "k2", HALFTONE_CLOBBERED);                          \
  }

HALFTONE_INSTRUCTION(VAddPh, "vaddph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VAddPhHigh, "vaddph %%zmm31, %%zmm18, %%zmm17")
HALFTONE_INSTRUCTION(VAddPhMixed, "vaddph %%zmm8, %%zmm24, %%zmm15")
HALFTONE_INSTRUCTION(VSubPh, "vsubph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VMulPh, "vmulph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VDivPh, "vdivph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VMinPh, "vminph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VMaxPh, "vmaxph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VSqrtPh, "vsqrtph %%zmm3, %%zmm1")
HALFTONE_INSTRUCTION(VScalefPh, "vscalefph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VRndscalePhNearest, "vrndscaleph $8, %%zmm3, %%zmm1")
HALFTONE_INSTRUCTION(VRndscalePhDown, "vrndscaleph $9, %%zmm3, %%zmm1")
HALFTONE_INSTRUCTION(VRndscalePhUp, "vrndscaleph $10, %%zmm19, %%zmm17")
HALFTONE_INSTRUCTION(VRndscalePhMemory, "vrndscaleph $11, 64(%1), %%zmm1")
HALFTONE_INSTRUCTION(VFmadd132Ph, "vfmadd132ph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VFmadd213Ph, "vfmadd213ph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VFmadd231Ph, "vfmadd231ph %%zmm3, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VFmadd231PhHigh, "vfmadd231ph %%zmm29, %%zmm30, %%zmm16")
HALFTONE_INSTRUCTION(VAddPhMemory, "vaddph (%1), %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VAddPhDisp8, "vaddph 64(%1), %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VAddPhDisp32, "vaddph 66(%1), %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VAddPhBroadcast, "vaddph -6(%1)%{1to32%}, %%zmm2, %%zmm1")
HALFTONE_INSTRUCTION(VFmadd231PhBroadcast, "vfmadd231ph 254(%1)%{1to32%}, %%zmm2, %%zmm1")
// k2 has every third bit.
#define HALFTONE_MASKED "mov $0x49249249, %%eax\n kmovd %%eax, %%k2\n "
HALFTONE_INSTRUCTION(VMulPhMerging, HALFTONE_MASKED "vmulph %%zmm3, %%zmm2, %%zmm1 %{%%k2%}")
HALFTONE_INSTRUCTION(VMulPhZeroing, HALFTONE_MASKED "vmulph (%1), %%zmm2, %%zmm1 %{%%k2%} %{z%}")
HALFTONE_INSTRUCTION(VCvtPh2Psx, "vcvtph2psx %%ymm3, %%zmm1")
HALFTONE_INSTRUCTION(VCvtPh2PsxHigh, "vcvtph2psx %%ymm19, %%zmm17")
HALFTONE_INSTRUCTION(VCvtPh2PsxMemory, "vcvtph2psx 32(%1), %%zmm1")
HALFTONE_INSTRUCTION(ThreeAtOnce,
                     "vaddph %%zmm3, %%zmm2, %%zmm1\n vpbroadcastd 4(%1), %%zmm19\n"
                     " vaddph %%zmm19, %%zmm1, %%zmm1")
HALFTONE_INSTRUCTION(VFmadd231PhIndexed,
                     "mov $3, %%eax\n vfmadd231ph -2(%1,%%rax,2), %%zmm2, %%zmm1")

// The destination after the instruction, from the one before and the other operands.
using LaneFunction = Float16 (*)(Float16 d, Float16 a, Float16 b);

Float16 Single(float value) {
  return Float16::FromFloat(value);
}

Float16 SumLane(Float16 /*d*/, Float16 a, Float16 b) {
  return Single(static_cast<float>(Float16Sum(a.ToFloat(), b.ToFloat())));
}

Float16 FusedLane(Float16 d, Float16 a, Float16 b) {
  return Single(static_cast<float>(Float16MultiplyAdd(a.ToFloat(), b.ToFloat(), d.ToFloat())));
}

struct RegisterCase {
  const char* name;
  void (*execute)(ZmmRegisters& registers, const void* memory);
  int d, a, b;
  LaneFunction lane;
};

const RegisterCase kRegisterCases[] = {
    {"vaddph", VAddPh, 1, 2, 3, SumLane},
    {"vaddph of high registers", VAddPhHigh, 17, 18, 31, SumLane},
    {"vaddph of zmm8, zmm24, zmm15", VAddPhMixed, 15, 24, 8, SumLane},
    {"vsubph", VSubPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) { return Single(a.ToFloat() - b.ToFloat()); }},
    {"vmulph", VMulPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) { return Single(a.ToFloat() * b.ToFloat()); }},
    {"vdivph", VDivPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) {
       return Float16::FromDouble(double{a.ToFloat()} / double{b.ToFloat()});
     }},
    {"vminph", VMinPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) { return a.ToFloat() < b.ToFloat() ? a : b; }},
    {"vmaxph", VMaxPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) { return a.ToFloat() > b.ToFloat() ? a : b; }},
    {"vsqrtph", VSqrtPh, 1, 1, 3,
     [](Float16, Float16, Float16 b) {
       return Float16::FromDouble(std::sqrt(double{b.ToFloat()}));
     }},
    {"vscalefph", VScalefPh, 1, 2, 3,
     [](Float16, Float16 a, Float16 b) {
       return Float16::FromDouble(double{a.ToFloat()} * std::exp2(std::floor(double{b.ToFloat()})));
     }},
    {"vrndscaleph to nearest", VRndscalePhNearest, 1, 1, 3,
     [](Float16, Float16, Float16 b) { return Single(std::nearbyint(b.ToFloat())); }},
    {"vrndscaleph down", VRndscalePhDown, 1, 1, 3,
     [](Float16, Float16, Float16 b) { return Single(std::floor(b.ToFloat())); }},
    {"vrndscaleph up, of high registers", VRndscalePhUp, 17, 17, 19,
     [](Float16, Float16, Float16 b) { return Single(std::ceil(b.ToFloat())); }},
    {"vfmadd132ph", VFmadd132Ph, 1, 2, 3,
     [](Float16 d, Float16 a, Float16 b) { return FusedLane(a, d, b); }},
    {"vfmadd213ph", VFmadd213Ph, 1, 2, 3,
     [](Float16 d, Float16 a, Float16 b) { return FusedLane(b, a, d); }},
    {"vfmadd231ph", VFmadd231Ph, 1, 2, 3, FusedLane},
    {"vfmadd231ph of high registers", VFmadd231PhHigh, 16, 30, 29, FusedLane},
};

// `offset` bytes behind element 64 of the memory; `step` 0: the same element for all lanes.
struct MemoryCase {
  const char* name;
  void (*execute)(ZmmRegisters& registers, const void* memory);
  std::ptrdiff_t offset;
  int step;
  LaneFunction lane;
};

const MemoryCase kMemoryCases[] = {
    {"without displacement", VAddPhMemory, 0, 1, SumLane},
    {"displacement of 8 bits", VAddPhDisp8, 64, 1, SumLane},
    {"displacement of 32 bits", VAddPhDisp32, 66, 1, SumLane},
    {"broadcast before", VAddPhBroadcast, -6, 0, SumLane},
    {"broadcast at the end of 8 bits", VFmadd231PhBroadcast, 254, 0, FusedLane},
    {"with an index", VFmadd231PhIndexed, 4, 1, FusedLane},
    {"before a last byte", VRndscalePhMemory, 64, 1,
     [](Float16, Float16, Float16 b) { return Single(std::trunc(b.ToFloat())); }},
};

bool IsNan(std::uint16_t bits) {
  return (bits & 0x7fff) > 0x7c00;
}

ZmmRegisters RandomRegisters(Rng& rng) {
  ZmmRegisters registers;
  for (ZmmRegister& zmm : registers.zmm) {
    for (std::uint16_t& lane : zmm) {
      lane = static_cast<std::uint16_t>(rng.Next());
    }
  }
  return registers;
}

void ExpectRegisters(const ZmmRegisters& got, const ZmmRegisters& want, int destination,
                     const char* name) {
  for (int i = 0; i < 32; ++i) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const bool is_nan = i == destination && IsNan(want.zmm[i][lane]);
      ASSERT_TRUE(got.zmm[i][lane] == want.zmm[i][lane] || (is_nan && IsNan(got.zmm[i][lane])))
          << name << ": zmm" << i << " lane " << lane << " is " << got.zmm[i][lane] << ", not "
          << want.zmm[i][lane];
    }
  }
}

class Fp16TrapsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = ReasonAgainstTraps(kIsaAvx512Fp16); !reason.empty()) {
      GTEST_SKIP() << "SKIPPED: " << reason;
    }
    InstallInstructionTraps(kIsaAvx512Fp16);
  }
};

TEST_F(Fp16TrapsTest, OperandsInRegisters) {
  Rng rng(5);
  for (const RegisterCase& c : kRegisterCases) {
    for (int round = 0; round < 200; ++round) {
      ZmmRegisters registers = RandomRegisters(rng);
      ZmmRegisters want = registers;
      for (std::size_t i = 0; i < 32; ++i) {
        want.zmm[c.d][i] =
            c.lane({registers.zmm[c.d][i]}, {registers.zmm[c.a][i]}, {registers.zmm[c.b][i]}).bits;
      }
      c.execute(registers, nullptr);
      ExpectRegisters(registers, want, c.d, c.name);
    }
  }
}

TEST_F(Fp16TrapsTest, OperandsInMemory) {
  Rng rng(6);
  for (const MemoryCase& c : kMemoryCases) {
    ZmmRegisters registers = RandomRegisters(rng);
    const ZmmRegisters memory = RandomRegisters(rng);
    const std::uint16_t* const at = memory.zmm[2].data();
    ZmmRegisters want = registers;
    for (std::size_t i = 0; i < 32; ++i) {
      const std::uint16_t element = at[c.offset / 2 + c.step * static_cast<std::ptrdiff_t>(i)];
      want.zmm[1][i] = c.lane({registers.zmm[1][i]}, {registers.zmm[2][i]}, {element}).bits;
    }
    c.execute(registers, at);
    ExpectRegisters(registers, want, 1, c.name);
  }
}

TEST_F(Fp16TrapsTest, Masks) {
  Rng rng(9);
  for (const bool zeroes : {false, true}) {
    ZmmRegisters registers = RandomRegisters(rng);
    const ZmmRegisters memory = RandomRegisters(rng);
    const ZmmRegister& third = zeroes ? memory.zmm[2] : registers.zmm[3];
    ZmmRegisters want = registers;
    for (std::size_t i = 0; i < 32; ++i) {
      const float product = Float16{registers.zmm[2][i]}.ToFloat() * Float16{third[i]}.ToFloat();
      want.zmm[1][i] = i % 3 == 0 ? Single(product).bits : zeroes ? 0 : registers.zmm[1][i];
    }
    (zeroes ? VMulPhZeroing : VMulPhMerging)(registers, memory.zmm[2].data());
    ExpectRegisters(registers, want, 1, zeroes ? "zeroing" : "merging");
  }
}

// The lower half of the source, each element twice as wide.
TEST_F(Fp16TrapsTest, Widening) {
  struct Case {
    void (*execute)(ZmmRegisters& registers, const void* memory);
    int destination;
    int source;  // -1: 32 bytes behind element 64 of the memory
  };

  Rng rng(8);
  for (const Case& c :
       {Case{VCvtPh2Psx, 1, 3}, Case{VCvtPh2PsxHigh, 17, 19}, Case{VCvtPh2PsxMemory, 1, -1}}) {
    for (int round = 0; round < 200; ++round) {
      ZmmRegisters registers = RandomRegisters(rng);
      const ZmmRegisters memory = RandomRegisters(rng);
      const std::uint16_t* const at = memory.zmm[2].data();
      const std::uint16_t* const halves = c.source < 0 ? at + 16 : registers.zmm[c.source].data();
      float want[16];
      std::transform(halves, halves + 16, want,
                     [](std::uint16_t half) { return Float16{half}.ToFloat(); });
      c.execute(registers, at);
      for (int i = 0; i < 16; ++i) {
        float got = 0;
        std::memcpy(&got, registers.zmm[c.destination].data() + 2 * i, sizeof got);
        EXPECT_TRUE(got == want[i] || (std::isnan(got) && std::isnan(want[i])))
            << got << " is not " << want[i];
      }
    }
  }
}

// Both additions and what stands between them are one signal's work.
TEST_F(Fp16TrapsTest, InstructionsInARow) {
  Rng rng(7);
  ZmmRegisters registers = RandomRegisters(rng);
  const ZmmRegisters memory = RandomRegisters(rng);
  const std::uint16_t* const at = memory.zmm[2].data();
  ZmmRegisters want = registers;
  for (std::size_t i = 0; i < 32; ++i) {
    want.zmm[19][i] = at[2 + i % 2];
    const Float16 sum = SumLane({}, {registers.zmm[2][i]}, {registers.zmm[3][i]});
    want.zmm[1][i] = SumLane({}, sum, {at[2 + i % 2]}).bits;
  }
  ThreeAtOnce(registers, at);
  ExpectRegisters(registers, want, 1, "vaddph, vpbroadcastd, vaddph");
}

// 1.5 * 2 + 0.25, and what fusing keeps: (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20.
TEST_F(Fp16TrapsTest, KnownResults) {
  ZmmRegisters registers = {};
  const auto set = [&](int number, float first, float last) {
    registers.zmm[number][0] = Float16::FromFloat(first).bits;
    registers.zmm[number][31] = Float16::FromFloat(last).bits;
  };
  set(1, 0.25F, -1 - 0x1p-9F);
  set(2, 1.5F, 1 + 0x1p-10F);
  set(3, 2, 1 + 0x1p-10F);
  const std::int64_t before = TrappedFp16Instructions();
  VFmadd231Ph(registers, nullptr);
  EXPECT_EQ(TrappedFp16Instructions() - before, (CpuIsa() & kIsaAvx512Fp16) != 0 ? 0 : 1);
  EXPECT_EQ(registers.zmm[1][0], Float16::FromFloat(3.25F).bits);
  EXPECT_EQ(registers.zmm[1][31], Float16::FromFloat(0x1p-20F).bits);
  EXPECT_EQ(registers.zmm[1][1], 0);
}

// ZmmRegisters that are all zero may not be in the frame at all.
[[gnu::target("avx512f"), gnu::noinline]] void AddOnesAfterClear(std::uint16_t* sum) {
  asm volatile(
      "vzeroall\n mov $0x3c003c00, %%eax\n vpbroadcastd %%eax, %%zmm20\n"
      "vaddph %%zmm20, %%zmm0, %%zmm1\n vmovdqu64 %%zmm1, (%0)\n vzeroupper\n"
      :
      : "r"(sum)
      : "memory", "rax", HALFTONE_CLOBBERED);
}

TEST_F(Fp16TrapsTest, RegistersInTheirInitialState) {
  ZmmRegister sum = {};
  AddOnesAfterClear(sum.data());
  EXPECT_EQ(std::count(sum.begin(), sum.end(), 0x3c00), 32);
}

TEST_F(Fp16TrapsTest, OtherInstructionsAreLeftAlone) {
  const std::vector<std::vector<std::uint8_t>> others = {
      {0x0f, 0x0b, 0, 0, 0, 0, 0},                 // ud2
      {0x62, 0xf6, 0x6d, 0x28, 0xb8, 0xcb, 0},     // 256 bits
      {0x62, 0xf6, 0x7d, 0x49, 0x13, 0xcb, 0},     // a conversion with a mask
      {0x62, 0xf6, 0xed, 0x48, 0xb8, 0xcb, 0},     // W
      {0x62, 0xf6, 0x6d, 0x58, 0xb8, 0xcb, 0},     // a rounding of its own
      {0x62, 0xf2, 0x6d, 0x48, 0xb8, 0xcb, 0},     // another map
      {0x62, 0xf6, 0x6c, 0x48, 0xb8, 0xcb, 0},     // another prefix
      {0x62, 0xf6, 0x6d, 0x48, 0xbc, 0xcb, 0},     // another opcode
      {0x62, 0xf5, 0x6c, 0x48, 0x51, 0xcb, 0},     // a root of two operands
      {0x62, 0xf6, 0x7d, 0x58, 0x13, 0xcb, 0},     // a conversion that reports no exceptions
      {0x62, 0xf3, 0x7c, 0x48, 0x08, 0xcb, 0x04},  // rounding as MXCSR says
      {0x62, 0xf3, 0x7c, 0x48, 0x08, 0xcb, 0x11},  // rounding to halves
  };
  for (const std::vector<std::uint8_t>& code : others) {
    ucontext_t context = {};
    ContinueAt(context, code.data());
    EXPECT_FALSE(EmulateFp16(context)) << int{code[1]} << " " << int{code[4]};
    EXPECT_EQ(InstructionOf(context), code.data());
  }
}

}  // namespace
}  // namespace halftone::testing
#endif
