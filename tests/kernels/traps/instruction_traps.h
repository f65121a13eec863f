// Execution in software of instructions that this CPU lacks, so that the machine code of every
// kernel runs in the tests of every x86-64 CPU (Linux).
//
// The CPU raises #UD at such an instruction and Linux sends SIGILL to the thread. The handler looks
// for the row that knows the instruction, which executes it on the registers and the memory of the
// interrupted thread and moves RIP behind it. Nothing is trapped on a CPU that has the instruction:
// the same tests then run the hardware.
//
// A new instruction set is one file and one row of kTrapRows (instruction_traps.cc).
#pragma once

#include <string>
#include <string_view>

#include "kernels/cpu_isa.h"

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#else
struct ucontext_t;
#endif

namespace halftone::testing {

struct TrapRow {
  std::string_view name;
  IsaMask isa;    // sets whose instructions it executes, all of those that kernels use
  IsaMask needs;  // sets that the CPU itself must have, for registers that the row reads
  // Executes the instruction at RIP and moves RIP behind it; false: the row does not know the
  // instruction, and nothing has changed. Runs in the thread that executes the instruction, with
  // the floating-point environment that programs start with, and may report failures of GoogleTest
  // (an instruction that the CPU would refuse): the thread is between two instructions of a kernel,
  // never inside of the C library.
  bool (*emulate)(ucontext_t& context);
};

// Reason why the instructions of `isa` that this CPU lacks cannot be executed here; empty: they
// can.
std::string ReasonAgainstTraps(IsaMask isa);

// Installs the handler for the instructions of `isa` that this CPU lacks. Requires
// ReasonAgainstTraps(isa) to be empty. Nothing takes it back. Kernels made of them are selected
// only after PretendIsaForTests(isa) (kernels/cpu_isa_for_tests.h).
void InstallInstructionTraps(IsaMask isa);

// Instruction sets that this run of a test binary is about: what the environment variable
// HALFTONE_TEST_TRAPS names, in the grammar of IsaName(). Their traps are installed, and
// DetectIsa() has them, before any test is registered. kIsaAny: the variable is not set.
IsaMask IsaOfTrapRun();

}  // namespace halftone::testing
