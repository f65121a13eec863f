#include "tests/kernels/traps/amx_traps.h"

#if defined(__x86_64__) && defined(__linux__)
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/kernels/traps/x86_operands.h"

namespace halftone::testing {
namespace {

constexpr int kTiles = 8;
constexpr int kRows = 16;
constexpr int kRowBytes = 64;

// Memory operand of LDTILECFG and STTILECFG.
struct TileConfiguration {
  std::uint8_t palette = 0;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

static_assert(sizeof(TileConfiguration) == 64);

struct TileRegisters {
  TileConfiguration configuration;
  std::uint8_t data[kTiles][kRows][kRowBytes] = {};
};

constinit thread_local TileRegisters registers;
constinit std::atomic<std::int64_t> configurations{0};

// VEX with three bytes, 128 bits, W 0, map 0F38: the prefix of all of AMX.
struct VexInstruction {
  enum Prefix { kNone, k66, kF3, kF2 };

  Prefix prefix;
  int source;  // VEX.vvvv, not inverted
  std::uint8_t opcode;
  RegisterBits bits;
  const std::uint8_t* modrm;
};

bool DecodeVex(const std::uint8_t* at, VexInstruction& out) {
  constexpr std::uint8_t kVex = 0xc4;
  constexpr int kMap0f38 = 2;
  constexpr int kLength128AndW0 = 0;
  if (at[0] != kVex || (at[1] & 0x1f) != kMap0f38 || (at[2] & 0x84) != kLength128AndW0) {
    return false;
  }
  out.bits = {.r = at[1] >> 7 ^ 1, .x = (at[1] >> 6 & 1) ^ 1, .b = (at[1] >> 5 & 1) ^ 1};
  out.source = (at[2] >> 3 & 15) ^ 15;
  out.prefix = static_cast<VexInstruction::Prefix>(at[2] & 3);
  out.opcode = at[3];
  out.modrm = at + 4;
  return true;
}

// ---- Configuration -----------------------------------------------------------------------------

const char* ReasonAgainst(const TileConfiguration& c) {
  static constexpr TileConfiguration kEmpty;
  if (c.palette > 1) {
    return "#GP: LDTILECFG of a palette other than 0 and 1";
  }
  if (c.palette == 0) {
    return nullptr;
  }
  if (std::memcmp(c.reserved, kEmpty.reserved, sizeof c.reserved) != 0) {
    return "#GP: LDTILECFG with reserved bytes that are not 0";
  }
  for (int i = 0; i < 16; ++i) {
    if (i >= kTiles && (c.rows[i] != 0 || c.row_bytes[i] != 0)) {
      return "#GP: LDTILECFG of more than 8 tiles";
    }
    if (c.rows[i] > kRows || c.row_bytes[i] > kRowBytes) {
      return "#GP: LDTILECFG of a tile of more than 16 rows of 64 bytes";
    }
    if ((c.rows[i] == 0) != (c.row_bytes[i] == 0)) {
      return "#GP: LDTILECFG of a tile with rows of no bytes, or no rows";
    }
  }
  return nullptr;
}

const char* LoadConfiguration(std::uint64_t address) {
  TileConfiguration configuration;
  std::memcpy(&configuration, reinterpret_cast<const void*>(address), sizeof configuration);
  if (const char* reason = ReasonAgainst(configuration); reason != nullptr) {
    return reason;
  }
  registers = {};
  if (configuration.palette != 0) {
    registers.configuration = configuration;
    configurations.fetch_add(1, std::memory_order_relaxed);
  }
  return nullptr;
}

// ---- One tile ----------------------------------------------------------------------------------

int RowsOf(int tile) {
  return registers.configuration.rows[tile];
}

int RowBytesOf(int tile) {
  return registers.configuration.row_bytes[tile];
}

const char* ReasonAgainstTile(int tile) {
  return registers.configuration.palette == 0 ? "#UD: the tile registers are not configured"
         : tile >= kTiles                     ? "#UD: there are 8 tile registers"
         : RowsOf(tile) == 0                  ? "#UD: this tile register is not configured"
                                              : nullptr;
}

const char* LoadTile(int tile, const ModRmOperands& operands) {
  std::memset(registers.data[tile], 0, sizeof registers.data[tile]);
  for (int row = registers.configuration.start_row; row < RowsOf(tile); ++row) {
    std::memcpy(registers.data[tile][row],
                reinterpret_cast<const void*>(operands.begin +
                                              operands.stride * static_cast<unsigned>(row)),
                static_cast<std::size_t>(RowBytesOf(tile)));
  }
  registers.configuration.start_row = 0;
  return nullptr;
}

const char* StoreTile(int tile, const ModRmOperands& operands) {
  for (int row = registers.configuration.start_row; row < RowsOf(tile); ++row) {
    std::memcpy(
        reinterpret_cast<void*>(operands.begin + operands.stride * static_cast<unsigned>(row)),
        registers.data[tile][row], static_cast<std::size_t>(RowBytesOf(tile)));
  }
  registers.configuration.start_row = 0;
  return nullptr;
}

const char* ClearTile(int tile) {
  std::memset(registers.data[tile], 0, sizeof registers.data[tile]);
  registers.configuration.start_row = 0;
  return nullptr;
}

// ---- Products ----------------------------------------------------------------------------------

// The 16 numbers of a row; those beyond the columns of a tile are computed and dropped. Tests
// execute millions of products: these compile to vectors at any level of optimisation.
using Doubles [[gnu::vector_size(128)]] = double;
using Floats [[gnu::vector_size(64)]] = float;
using Words64 [[gnu::vector_size(128)]] = std::uint64_t;
using Words [[gnu::vector_size(64)]] = std::uint32_t;

// Rounds to float32 as with flush-to-zero: what is below 2^-126 after rounding to 24 bits is zero,
// with its sign. `x` is exact or so much longer than a float that rounding twice does not matter.
[[gnu::always_inline]] inline void RoundAndFlush(Doubles& x) {
  constexpr double kLeast = 0x1p-126 - 0x1p-151;  // half a unit of 24 bits below
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto is_tiny = reinterpret_cast<Words64>((x < kLeast) & (x > -kLeast));
  const Doubles rounded = __builtin_convertvector(__builtin_convertvector(x, Floats), Doubles);
  x = reinterpret_cast<Doubles>(reinterpret_cast<Words64>(rounded) & (~is_tiny | kSign));
}

double FloatOf(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

double FloatAt(const std::uint8_t* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return FloatOf(bits);
}

double BFloat16At(const std::uint8_t* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return FloatOf(std::uint32_t{bits} << 16);
}

// The thread sanitizer instruments what chooses a clone, which runs before the sanitizer is there.
#if defined(__SANITIZE_THREAD__)
#define HALFTONE_CLONES
#else
#define HALFTONE_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#endif

// TDPBF16PS. A product of two bfloat16 and a float32 have at most 24 bits each, so their sum in
// double, rounded again, is the fused multiply-add.
HALFTONE_CLONES void MultiplyPairs(int c, int a, int b) {
  const int steps = RowBytesOf(a) / 4;
  Doubles right[2][kRows];
  for (int k = 0; k < steps; ++k) {
    for (int n = 0; n < kRowBytes / 4; ++n) {
      right[0][k][n] = BFloat16At(&registers.data[b][k][4 * n]);
      right[1][k][n] = BFloat16At(&registers.data[b][k][4 * n + 2]);
    }
  }
  for (int m = 0; m < RowsOf(c); ++m) {
    Doubles even = {};
    Doubles odd = {};
    for (int k = 0; k < steps; ++k) {
      even = BFloat16At(&registers.data[a][m][4 * k]) * right[0][k] + even;
      RoundAndFlush(even);
      odd = BFloat16At(&registers.data[a][m][4 * k + 2]) * right[1][k] + odd;
      RoundAndFlush(odd);
    }
    Doubles sum = even + odd;
    RoundAndFlush(sum);
    Doubles result = {};
    for (int n = 0; n < RowBytesOf(c) / 4; ++n) {
      result[n] = FloatAt(&registers.data[c][m][4 * n]);
    }
    result += sum;
    RoundAndFlush(result);
    const Floats stored = __builtin_convertvector(result, Floats);
    std::memcpy(registers.data[c][m], &stored, static_cast<std::size_t>(RowBytesOf(c)));
  }
}

// TDPBSSD, TDPBSUD, TDPBUSD, TDPBUUD: bytes of type Left and Right.
template <typename Left, typename Right>
void MultiplyBytes(int c, int a, int b) {
  for (int m = 0; m < RowsOf(c); ++m) {
    Words sums;
    std::memcpy(&sums, registers.data[c][m], sizeof sums);
    for (int k = 0; k < RowBytesOf(a) / 4; ++k) {
      for (int e = 0; e < 4; ++e) {
        const auto left = int{static_cast<Left>(registers.data[a][m][4 * k + e])};
        Words right;
        for (int n = 0; n < kRowBytes / 4; ++n) {
          right[n] = static_cast<std::uint32_t>(
              left * static_cast<Right>(registers.data[b][k][4 * n + e]));
        }
        sums += right;
      }
    }
    std::memcpy(registers.data[c][m], &sums, static_cast<std::size_t>(RowBytesOf(c)));
  }
}

using Product = void (*)(int c, int a, int b);

constexpr std::uint8_t kPairsOpcode = 0x5c;
constexpr std::uint8_t kBytesOpcode = 0x5e;

// Null: there is no such instruction.
Product ProductOf(std::uint8_t opcode, VexInstruction::Prefix prefix) {
  constexpr Product kBytes[] = {
      MultiplyBytes<std::uint8_t, std::uint8_t>, MultiplyBytes<std::uint8_t, std::int8_t>,
      MultiplyBytes<std::int8_t, std::uint8_t>, MultiplyBytes<std::int8_t, std::int8_t>};
  return opcode == kBytesOpcode                                    ? kBytes[prefix]
         : opcode == kPairsOpcode && prefix == VexInstruction::kF3 ? MultiplyPairs
                                                                   : nullptr;
}

const char* Multiply(Product product, int c, int a, int b) {
  for (const int tile : {c, a, b}) {
    if (const char* reason = ReasonAgainstTile(tile); reason != nullptr) {
      return reason;
    }
  }
  if (c == a || c == b || a == b) {
    return "#UD: a product of tiles that are not three";
  }
  if (RowBytesOf(a) % 4 != 0 || RowBytesOf(b) % 4 != 0 || RowBytesOf(c) % 4 != 0) {
    return "#UD: a product of tiles with rows of a part of 4 bytes";
  }
  if (RowsOf(c) != RowsOf(a) || RowBytesOf(c) != RowBytesOf(b) || RowBytesOf(a) / 4 != RowsOf(b)) {
    return "#UD: a product of tiles whose shapes do not fit";
  }
  product(c, a, b);
  registers.configuration.start_row = 0;
  return nullptr;
}

// ---- Instructions ------------------------------------------------------------------------------

struct Execution {
  bool is_known = false;
  const char* refusal = nullptr;
};

Execution ExecuteConfiguration(const VexInstruction& instruction, const ModRmOperands& operands) {
  if (operands.is_memory() && operands.reg % 8 == 0) {
    if (instruction.prefix == VexInstruction::kNone) {
      return {true, LoadConfiguration(operands.address())};
    }
    if (instruction.prefix == VexInstruction::k66) {
      std::memcpy(reinterpret_cast<void*>(operands.address()), &registers.configuration,
                  sizeof registers.configuration);
      return {true};
    }
  } else if (!operands.is_memory() && *instruction.modrm == 0xc0 &&
             instruction.prefix == VexInstruction::kNone) {  // TILERELEASE
    registers = {};
    return {true};
  } else if (!operands.is_memory() && operands.rm % 8 == 0 &&
             instruction.prefix == VexInstruction::kF2) {
    const char* reason = ReasonAgainstTile(operands.reg);
    return {true, reason != nullptr ? reason : ClearTile(operands.reg)};
  }
  return {};
}

Execution ExecuteMove(const VexInstruction& instruction, const ModRmOperands& operands) {
  if (!operands.is_memory() || !operands.has_sib || instruction.prefix == VexInstruction::kNone) {
    return {};
  }
  if (const char* reason = ReasonAgainstTile(operands.reg); reason != nullptr) {
    return {true, reason};
  }
  // TILELOADD and TILELOADDT1 (a hint for the cache) have the prefixes F2 and 66.
  return {true, instruction.prefix == VexInstruction::kF3 ? StoreTile(operands.reg, operands)
                                                          : LoadTile(operands.reg, operands)};
}

Execution Execute(const VexInstruction& instruction, const ModRmOperands& operands) {
  constexpr std::uint8_t kConfigurationOpcode = 0x49;
  constexpr std::uint8_t kMoveOpcode = 0x4b;
  if (const Product product = ProductOf(instruction.opcode, instruction.prefix);
      product != nullptr && !operands.is_memory()) {
    return {true, Multiply(product, operands.reg, operands.rm, instruction.source)};
  }
  if (instruction.source != 0) {
    return {};
  }
  return instruction.opcode == kConfigurationOpcode ? ExecuteConfiguration(instruction, operands)
         : instruction.opcode == kMoveOpcode        ? ExecuteMove(instruction, operands)
                                                    : Execution{};
}

}  // namespace

bool EmulateAmx(ucontext_t& context) {
  VexInstruction instruction = {};
  if (!DecodeVex(InstructionOf(context), instruction)) {
    return false;
  }
  const ModRmOperands operands = DecodeModRm(context, instruction.modrm, instruction.bits);
  const Execution execution = Execute(instruction, operands);
  if (!execution.is_known) {
    return false;
  }
  if (execution.refusal != nullptr) {
    ADD_FAILURE() << "AMX instruction at " << static_cast<const void*>(InstructionOf(context))
                  << ": " << execution.refusal;
  }
  ContinueAt(context, operands.next);
  return true;
}

bool HasTrappedTiles() {
  return registers.configuration.palette != 0;
}

std::int64_t TrappedTileConfigurations() {
  return configurations.load(std::memory_order_relaxed);
}

}  // namespace halftone::testing
#endif
