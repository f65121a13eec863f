// Operands of a trapped x86-64 instruction: general registers, ModRM, SIB and displacement. Source:
// Intel SDM volume 2A, chapter 2.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace halftone::testing {

// Instruction at which the thread was interrupted.
const std::uint8_t* InstructionOf(const ucontext_t& context);

// Continues behind the instruction, at `next`.
void ContinueAt(ucontext_t& context, const std::uint8_t* next);

// Content of the general register of this number in instructions: rax, rcx, rdx, rbx, rsp, rbp,
// rsi, rdi, r8 to r15.
std::uint64_t GeneralRegister(const ucontext_t& context, int number);

// Bits of a prefix that extend the numbers of registers; as numbers, not inverted as VEX and EVEX
// hold them.
struct RegisterBits {
  int r = 0;  // ModRM.reg
  int x = 0;  // SIB.index
  int b = 0;  // ModRM.rm or SIB.base
};

struct ModRmOperands {
  int mod = 0;
  int reg = 0;  // with the bit of the prefix
  int rm = 0;   // a register, if !is_memory(): with the bit of the prefix
  bool has_sib = false;
  // Memory operand, if is_memory(): the address is `begin` + `stride`.
  std::uint64_t begin = 0;             // base and displacement
  std::uint64_t stride = 0;            // index << scale; 0: no index
  const std::uint8_t* next = nullptr;  // behind ModRM, SIB and displacement

  [[nodiscard]] bool is_memory() const { return mod != 3; }

  [[nodiscard]] std::uint64_t address() const { return begin + stride; }
};

// Decodes the operands from the ModRM byte at `at`. `displacement_unit`: bytes that a displacement
// of 8 bits counts (EVEX: disp8*N). `immediate_bytes`: bytes of the instruction behind the
// displacement, which addresses relative to RIP count from.
ModRmOperands DecodeModRm(const ucontext_t& context, const std::uint8_t* at,
                          const RegisterBits& bits, int displacement_unit = 1,
                          int immediate_bytes = 0);

}  // namespace halftone::testing
