#include "bench/peak/instruction_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kernels/cpu_isa.h"

namespace halftone {
namespace {

// Number of accumulators: more than latency times throughput of any unit (Zen 5: dot products take
// 6 cycles and 2 begin in each, so 12 are in flight), and few enough for the registers.
constexpr int kAccumulators512 = 24;
constexpr int kAccumulators256 = 12;
constexpr int kTileSums = 4;  // tiles of AMX
constexpr std::int64_t kIterations = 4000;

// Best of some short runs: whatever disturbs makes one slower.
template <typename Loop>
double Best(double operations, const Loop& loop) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    loop();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, operations / elapsed.count());
  }
  return best;
}

#define HALFTONE_TIMES_12(what) \
  what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11)
#define HALFTONE_TIMES_24(what)                                                             \
  HALFTONE_TIMES_12(what)                                                                   \
  what(12) what(13) what(14) what(15) what(16) what(17) what(18) what(19) what(20) what(21) \
      what(22) what(23)
#define HALFTONE_CLOBBERED(i) "xmm" #i,

// One instruction on all accumulators in turn, from 0 on: subnormal numbers, which registers may
// hold from before, take a hundred times as long on Intel's CPUs.
#define HALFTONE_CLEAR_512(i) "vpxord %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n"
#define HALFTONE_CLEAR_256(i) "vpxor %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n"
#define HALFTONE_PEAK_LOOP(function, isa, times, clear, line, width, one, other)                   \
  [[gnu::target(isa), gnu::noinline]] void function() {                                            \
    asm volatile("vpbroadcastd %1, %%" width one "\n vpbroadcastd %1, %%" width other "\n" times(  \
                     clear) "mov %0, %%rax\n 1:\n" times(line) "dec %%rax\n jnz 1b\n vzeroupper\n" \
                 :                                                                                 \
                 : "r"(kIterations), "m"(kOperands)                                                \
                 : times(HALFTONE_CLOBBERED) "xmm" one, "xmm" other, "rax");                       \
  }
#define HALFTONE_PEAK_512(name, line)                                                           \
  HALFTONE_PEAK_LOOP(name, "avx512f", HALFTONE_TIMES_24, HALFTONE_CLEAR_512, line, "zmm", "30", \
                     "31")
#define HALFTONE_PEAK_256(name, line) \
  HALFTONE_PEAK_LOOP(name, "avx2", HALFTONE_TIMES_12, HALFTONE_CLEAR_256, line, "ymm", "14", "15")

#define HALFTONE_FMA_512(i) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #i "\n"
#define HALFTONE_FMA_256(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #i "\n"
#define HALFTONE_FMA_F16(i) "vfmadd231ph %%zmm30, %%zmm31, %%zmm" #i "\n"
#define HALFTONE_DOT_BF16(i) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" #i "\n"
#define HALFTONE_DOT_S8(i) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #i "\n"

#if defined(__x86_64__)
// 1 in pairs of bfloat16, about 1 in float32, 1.875 in float16.
constexpr std::uint32_t kOperands = 0x3f803f80;

HALFTONE_PEAK_512(Fma512, HALFTONE_FMA_512)
HALFTONE_PEAK_256(Fma256, HALFTONE_FMA_256)
HALFTONE_PEAK_512(DotBf16, HALFTONE_DOT_BF16)
HALFTONE_PEAK_512(FmaF16, HALFTONE_FMA_F16)
HALFTONE_PEAK_512(DotS8, HALFTONE_DOT_S8)

// Tile registers of 16 rows of 64 bytes, eight of them (Intel SDM volume 1, "TILECFG").
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

static_assert(sizeof(TileConfiguration) == 64);

constexpr TileConfiguration kTileConfiguration;

// Two tiles of A by two of B. The system has permitted them: DetectIsa() asked.
#define HALFTONE_CLEAR_TILE(i) "tilezero %%tmm" #i "\n"
#define HALFTONE_AMX_LOOP(function, instruction)                                            \
  [[gnu::noinline]] void function() {                                                       \
    asm volatile("ldtilecfg %1\n" HALFTONE_CLEAR_TILE(0) HALFTONE_CLEAR_TILE(1)             \
                     HALFTONE_CLEAR_TILE(2) HALFTONE_CLEAR_TILE(3) HALFTONE_CLEAR_TILE(4)   \
                         HALFTONE_CLEAR_TILE(5) HALFTONE_CLEAR_TILE(6)                      \
                             HALFTONE_CLEAR_TILE(7) "mov %0, %%rax\n 1:\n" instruction      \
                                                    " %%tmm6, %%tmm4, %%tmm0\n" instruction \
                                                    " %%tmm7, %%tmm4, %%tmm1\n" instruction \
                                                    " %%tmm6, %%tmm5, %%tmm2\n" instruction \
                                                    " %%tmm7, %%tmm5, %%tmm3\n"             \
                                                    "dec %%rax\n jnz 1b\n tilerelease\n"    \
                 :                                                                          \
                 : "r"(kIterations), "m"(kTileConfiguration)                                \
                 : "rax");                                                                  \
  }

HALFTONE_AMX_LOOP(AmxBf16, "tdpbf16ps")
HALFTONE_AMX_LOOP(AmxS8, "tdpbssd")
#else

void Fma512() {}

void Fma256() {}

void DotBf16() {}

void DotS8() {}

void FmaF16() {}

void AmxBf16() {}

void AmxS8() {}
#endif

bool HasAvx512() {
  return (DetectIsa() & kIsaAvx512) != 0;
}

bool HasAvx2() {
  return (DetectIsa() & kIsaAvx2) != 0;
}

bool HasBf16() {
  return (DetectIsa() & kIsaAvx512Bf16) != 0;
}

bool HasFp16() {
  return (DetectIsa() & kIsaAvx512Fp16) != 0;
}

bool HasAmxBf16() {
  return (DetectIsa() & kIsaAmxBf16) != 0;
}

bool HasAmxInt8() {
  return (DetectIsa() & kIsaAmxInt8) != 0;
}

bool HasVnni() {
#if defined(__x86_64__)
  return HasAvx512() && __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

// Lanes, products a lane and instruction, multiplication and addition.
constexpr double Operations(int accumulators, int lanes, int products) {
  return 2.0 * static_cast<double>(kIterations) * accumulators * lanes * products;
}

// 16 x 16 sums a tile.
constexpr double TileOperations(int products) {
  return 2.0 * static_cast<double>(kIterations) * kTileSums * 16 * 16 * products;
}

constexpr InstructionPeak kPeaks[] = {
    {"fma_f32", "float32 multiply-add", HasAvx2,
     [] {
       return HasAvx512() ? Best(Operations(kAccumulators512, 16, 1), Fma512)
                          : Best(Operations(kAccumulators256, 8, 1), Fma256);
     }},
    {"fma_f16", "float16 multiply-add", HasFp16,
     [] { return Best(Operations(kAccumulators512, 32, 1), FmaF16); }},
    {"dot_bf16", "bfloat16 dot product of pairs", HasBf16,
     [] { return Best(Operations(kAccumulators512, 16, 2), DotBf16); }},
    {"dot_s8", "int8 dot product of fours", HasVnni,
     [] { return Best(Operations(kAccumulators512, 16, 4), DotS8); }},
    {"amx_bf16", "bfloat16 tile product", HasAmxBf16,
     [] { return Best(TileOperations(32), AmxBf16); }},
    {"amx_s8", "int8 tile product", HasAmxInt8, [] { return Best(TileOperations(64), AmxS8); }},
};

}  // namespace

std::span<const InstructionPeak> InstructionPeaks() {
  return kPeaks;
}

double MeasurePeak(std::string_view name) {
  for (const InstructionPeak& peak : kPeaks) {
    if (peak.name == name && peak.is_here()) {
      return peak.measure();
    }
  }
  return 0;
}

}  // namespace halftone
