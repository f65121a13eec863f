#include "tests/kernels/traps/fp16_traps.h"

#if defined(__x86_64__) && defined(__linux__)
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/tile/fp16_emulated.h"
#include "tests/kernels/traps/vector_registers.h"
#include "tests/kernels/traps/x86_operands.h"

namespace halftone::testing {
namespace {

constinit std::atomic<std::int64_t> instructions{0};

// The prefix of four bytes and the opcode.
struct EvexInstruction {
  int map;
  int prefix;  // 0: none, 1: 66, 2: F3, 3: F2
  std::uint8_t opcode;
  bool broadcasts;       // EVEX.b: rounds by itself, where no operand is in memory
  int source;            // EVEX.vvvv with EVEX.V', not inverted
  int mask;              // EVEX.aaa: the mask register; 0: none
  bool zeroes;           // EVEX.z: lanes without a bit of the mask become 0, else they stay
  RegisterBits bits;     // of general registers and of ModRM.reg
  int high_destination;  // EVEX.R'
};

// False: not EVEX with 512 bits and W 0.
bool DecodeEvex(const std::uint8_t* at, EvexInstruction& out) {
  constexpr std::uint8_t kEvex = 0x62;
  if (at[0] != kEvex || (at[1] & 0x08) != 0 || (at[2] & 0x84) != 0x04 || (at[3] & 0x60) != 0x40) {
    return false;
  }
  out.map = at[1] & 7;
  out.bits = {.r = at[1] >> 7 ^ 1, .x = (at[1] >> 6 & 1) ^ 1, .b = (at[1] >> 5 & 1) ^ 1};
  out.high_destination = (at[1] >> 4 & 1) ^ 1;
  out.prefix = at[2] & 3;
  out.source = ((at[2] >> 3 & 15) ^ 15) | ((at[3] >> 3 & 1) ^ 1) << 4;
  out.broadcasts = (at[3] & 0x10) != 0;
  out.mask = at[3] & 7;
  out.zeroes = (at[3] & 0x80) != 0;
  out.opcode = at[4];
  return true;
}

// ---- Lanes -------------------------------------------------------------------------------------

// Conversions without branches, which compilers make vectors of.
double Widened(std::uint16_t half) {
  const std::uint32_t magnitude = (half & 0x7fffU) << 13;
  const std::uint32_t special = (half & 0x7c00U) == 0x7c00U ? 0x7f800000U : 0;
  const auto bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  return double{std::bit_cast<float>(bits | special | (half & 0x8000U) << 16)};
}

// `value` is one of float16. The exponent of infinity and NaN, cut to five bits, is theirs.
std::uint16_t Narrowed(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const float magnitude = std::bit_cast<float>(bits & 0x7fffffffU);
  const auto scaled = std::bit_cast<std::uint32_t>(magnitude * 0x1p-112F);
  return static_cast<std::uint16_t>((scaled >> 13 & 0x7fffU) | (bits >> 16 & 0x8000U));
}

// One lane: operands 1 (the destination), 2 and 3, as the manual counts them; the result before it
// is rounded. Double has more than twice the bits of float16 and two: rounding once more is
// innocuous (Figueroa, "When is double rounding innocuous?", 1995; kernels/tile/fp16_emulated.h for
// the fused ones).
struct Root {
  double operator()(double /*d*/, double /*a*/, double b) const { return std::sqrt(b); }
};

struct Add {
  double operator()(double /*d*/, double a, double b) const { return a + b; }
};

struct Subtract {
  double operator()(double /*d*/, double a, double b) const { return a - b; }
};

struct Multiply {
  double operator()(double /*d*/, double a, double b) const { return a * b; }
};

struct Divide {
  double operator()(double /*d*/, double a, double b) const { return a / b; }
};

// The third operand where one is NaN or both are zero.
struct Least {
  double operator()(double /*d*/, double a, double b) const { return a < b ? a : b; }
};

struct Largest {
  double operator()(double /*d*/, double a, double b) const { return a > b ? a : b; }
};

struct Fused132 {
  double operator()(double d, double a, double b) const { return d * b + a; }
};

struct Fused213 {
  double operator()(double d, double a, double b) const { return a * d + b; }
};

struct Fused231 {
  double operator()(double d, double a, double b) const { return a * b + d; }
};

// 2^floor(b) times.
struct Scale {
  double operator()(double /*d*/, double a, double b) const { return a * std::exp2(std::floor(b)); }
};

using Execution = void (*)(ZmmRegister& destination, const ZmmRegister& second,
                           const ZmmRegister& third);

// The row of this file needs AVX-512.
template <typename Lane>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void Execute(ZmmRegister& destination,
                                                                   const ZmmRegister& second,
                                                                   const ZmmRegister& third) {
  const Lane lane;
  for (std::size_t i = 0; i < destination.size(); ++i) {
    destination[i] = Narrowed(
        RoundedToFloat16(lane(Widened(destination[i]), Widened(second[i]), Widened(third[i]))));
  }
}

// ---- Instructions ------------------------------------------------------------------------------

struct InstructionRow {
  int map;
  int prefix;
  std::uint8_t opcode;
  Execution execute;
  bool has_second = true;
};

constexpr InstructionRow kInstructions[] = {
    {5, 0, 0x51, Execute<Root>, false}, {5, 0, 0x58, Execute<Add>},
    {5, 0, 0x59, Execute<Multiply>},    {5, 0, 0x5c, Execute<Subtract>},
    {5, 0, 0x5d, Execute<Least>},       {5, 0, 0x5e, Execute<Divide>},
    {5, 0, 0x5f, Execute<Largest>},     {6, 1, 0x98, Execute<Fused132>},
    {6, 1, 0xa8, Execute<Fused213>},    {6, 1, 0xb8, Execute<Fused231>},
    {6, 1, 0x2c, Execute<Scale>},
};

const InstructionRow* RowOf(const EvexInstruction& instruction) {
  for (const InstructionRow& row : kInstructions) {
    if (row.map == instruction.map && row.prefix == instruction.prefix &&
        row.opcode == instruction.opcode && (row.has_second || instruction.source == 0)) {
      return &row;
    }
  }
  return nullptr;
}

template <typename Element>
ZmmRegister Broadcast(std::uint64_t address) {
  Element element;
  std::memcpy(&element, reinterpret_cast<const void*>(address), sizeof element);
  ZmmRegister value;
  for (std::size_t at = 0; at < sizeof value; at += sizeof element) {
    std::memcpy(reinterpret_cast<std::byte*>(value.data()) + at, &element, sizeof element);
  }
  return value;
}

ZmmRegister Load(std::uint64_t address) {
  ZmmRegister value;
  std::memcpy(value.data(), reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

constexpr int kOpcodeEnd = 5;

bool ExecuteArithmetic(ucontext_t& context, const EvexInstruction& instruction) {
  const InstructionRow* row = RowOf(instruction);
  if (row == nullptr) {
    return false;
  }
  const ModRmOperands operands = DecodeModRm(context, InstructionOf(context) + kOpcodeEnd,
                                             instruction.bits, instruction.broadcasts ? 2 : 64);
  if (!operands.is_memory() && instruction.broadcasts) {
    return false;
  }
  const int destination = operands.reg | instruction.high_destination << 4;
  // Where it is a register, EVEX.X is the upper bit of its number.
  const ZmmRegister third = !operands.is_memory()
                                ? ReadZmm(context, operands.rm | instruction.bits.x << 4)
                            : instruction.broadcasts ? Broadcast<std::uint16_t>(operands.address())
                                                     : Load(operands.address());
  const ZmmRegister before = ReadZmm(context, destination);
  ZmmRegister result = before;
  row->execute(result, ReadZmm(context, instruction.source), third);
  const std::uint64_t mask =
      instruction.mask == 0 ? ~std::uint64_t{0} : ReadMask(context, instruction.mask);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if ((mask >> i & 1) == 0) {
      result[i] = instruction.zeroes ? std::uint16_t{0} : before[i];
    }
  }
  WriteZmm(context, destination, result);
  ContinueAt(context, operands.next);
  instructions.fetch_add(1, std::memory_order_relaxed);
  return true;
}

double RoundedWhole(double value, int rounding) {
  constexpr int kDown = 1;
  constexpr int kUp = 2;
  constexpr int kToZero = 3;
  switch (rounding) {
    case kDown:
      return std::floor(value);
    case kUp:
      return std::ceil(value);
    case kToZero:
      return std::trunc(value);
    default:
      return std::nearbyint(value);
  }
}

// VRNDSCALEPH of a register to whole numbers, by the rounding that its last byte names.
bool ExecuteRounding(ucontext_t& context, const EvexInstruction& instruction) {
  if (instruction.map != 3 || instruction.prefix != 0 || instruction.opcode != 0x08 ||
      instruction.broadcasts || instruction.source != 0) {
    return false;
  }
  const ModRmOperands operands =
      DecodeModRm(context, InstructionOf(context) + kOpcodeEnd, instruction.bits, 64, 1);
  const int immediate = *operands.next;
  if ((immediate & 0xf4) != 0) {  // fractions, or the rounding of MXCSR
    return false;
  }
  ZmmRegister value = operands.is_memory()
                          ? Load(operands.address())
                          : ReadZmm(context, operands.rm | instruction.bits.x << 4);
  for (std::uint16_t& lane : value) {
    lane = Narrowed(RoundedWhole(Widened(lane), immediate & 3));
  }
  WriteZmm(context, operands.reg | instruction.high_destination << 4, value);
  ContinueAt(context, operands.next + 1);
  instructions.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// VCVTPH2PSX of 256 bits to 512, which clang takes in place of VCVTPH2PS of AVX-512.
bool ExecuteWidening(ucontext_t& context, const EvexInstruction& instruction) {
  if (instruction.map != 6 || instruction.prefix != 1 || instruction.opcode != 0x13 ||
      instruction.broadcasts || instruction.source != 0) {
    return false;
  }
  constexpr int kBytes = 32;
  const ModRmOperands operands =
      DecodeModRm(context, InstructionOf(context) + kOpcodeEnd, instruction.bits, kBytes);
  std::array<std::uint16_t, kBytes / 2> halves;
  if (operands.is_memory()) {
    std::memcpy(halves.data(), reinterpret_cast<const void*>(operands.address()), kBytes);
  } else {
    const ZmmRegister value = ReadZmm(context, operands.rm | instruction.bits.x << 4);
    std::memcpy(halves.data(), value.data(), kBytes);
  }
  std::array<float, kBytes / 2> floats;
  std::transform(halves.begin(), halves.end(), floats.begin(),
                 [](std::uint16_t half) { return static_cast<float>(Widened(half)); });
  ZmmRegister result;
  std::memcpy(result.data(), floats.data(), sizeof result);
  WriteZmm(context, operands.reg | instruction.high_destination << 4, result);
  ContinueAt(context, operands.next);
  instructions.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// VPBROADCASTD of memory, which stands between multiply-adds.
bool ExecuteBroadcast(ucontext_t& context, const EvexInstruction& instruction) {
  if (instruction.map != 2 || instruction.prefix != 1 || instruction.opcode != 0x58 ||
      instruction.broadcasts || instruction.source != 0) {
    return false;
  }
  const ModRmOperands operands =
      DecodeModRm(context, InstructionOf(context) + kOpcodeEnd, instruction.bits, 4);
  if (!operands.is_memory()) {
    return false;
  }
  WriteZmm(context, operands.reg | instruction.high_destination << 4,
           Broadcast<std::uint32_t>(operands.address()));
  ContinueAt(context, operands.next);
  return true;
}

bool ExecuteOne(ucontext_t& context, const EvexInstruction& instruction) {
  return ExecuteArithmetic(context, instruction) ||
         (instruction.mask == 0 &&
          (ExecuteRounding(context, instruction) || ExecuteWidening(context, instruction)));
}

}  // namespace

bool EmulateFp16(ucontext_t& context) {
  EvexInstruction instruction = {};
  if (!DecodeEvex(InstructionOf(context), instruction) || !ExecuteOne(context, instruction)) {
    return false;
  }
  while (DecodeEvex(InstructionOf(context), instruction) &&
         (ExecuteOne(context, instruction) ||
          (instruction.mask == 0 && ExecuteBroadcast(context, instruction)))) {
  }
  return true;
}

std::int64_t TrappedFp16Instructions() {
  return instructions.load(std::memory_order_relaxed);
}

}  // namespace halftone::testing
#endif
