#if defined(__x86_64__) && defined(__linux__)
#include "tests/kernels/traps/x86_operands.h"

#include <cstring>

namespace halftone::testing {
namespace {

constexpr int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};

constexpr int kSibFollows = 4;  // as ModRM.rm
constexpr int kNoIndex = 4;     // as SIB.index, with the bit of the prefix
constexpr int kNoBase = 5;      // as ModRM.rm or SIB.base, if mod is 0

// Sign-extended displacement of `T` at `at`, which it moves.
template <typename T>
std::uint64_t Displacement(const std::uint8_t*& at, int unit) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return static_cast<std::uint64_t>(std::int64_t{value} * unit);
}

}  // namespace

const std::uint8_t* InstructionOf(const ucontext_t& context) {
  return reinterpret_cast<const std::uint8_t*>(context.uc_mcontext.gregs[REG_RIP]);
}

void ContinueAt(ucontext_t& context, const std::uint8_t* next) {
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(next);
}

std::uint64_t GeneralRegister(const ucontext_t& context, int number) {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[kRegisters[number]]);
}

ModRmOperands DecodeModRm(const ucontext_t& context, const std::uint8_t* at,
                          const RegisterBits& bits, int displacement_unit, int immediate_bytes) {
  const std::uint8_t modrm = *at++;
  ModRmOperands result{
      .mod = modrm >> 6, .reg = (modrm >> 3 & 7) | bits.r << 3, .rm = (modrm & 7) | bits.b << 3};
  if (!result.is_memory()) {
    result.next = at;
    return result;
  }
  int base = modrm & 7;
  result.has_sib = base == kSibFollows;
  if (result.has_sib) {
    const std::uint8_t sib = *at++;
    base = sib & 7;
    if (const int index = (sib >> 3 & 7) | bits.x << 3; index != kNoIndex) {
      result.stride = GeneralRegister(context, index) << (sib >> 6);
    }
  }
  const bool no_base = result.mod == 0 && base == kNoBase;
  if (no_base || result.mod == 2) {
    result.begin = Displacement<std::int32_t>(at, 1);
  } else if (result.mod == 1) {
    result.begin = Displacement<std::int8_t>(at, displacement_unit);
  }
  if (!no_base) {
    result.begin += GeneralRegister(context, base | bits.b << 3);
  } else if (!result.has_sib) {  // relative to the next instruction
    result.begin += reinterpret_cast<std::uint64_t>(at) + static_cast<unsigned>(immediate_bytes);
  }
  result.next = at;
  return result;
}

}  // namespace halftone::testing
#endif
