// Executes instructions of AVX512-FP16 in software, those that kernels use: a row of
// instruction_traps.cc. Source: Intel SDM volume 2, chapter 2.7 (EVEX) and the instructions.
//
// 512 bits, without a rounding of their own, with a mask or without, operands in registers, in
// memory, or broadcast from it: VADDPH, VSUBPH, VMULPH, VDIVPH, VMINPH, VMAXPH, VSQRTPH, VSCALEFPH,
// VFMADD132PH, VFMADD213PH, VFMADD231PH; without a mask, not broadcast: VRNDSCALEPH, VCVTPH2PSX.
// Rounded to nearest even; the payload of NaN may differ from that of the CPU.
//
// A signal takes longer than an instruction in software: those that follow are executed with it,
// VPBROADCASTD of memory too, up to the first one of another kind.
#pragma once

#include <cstdint>

#include "tests/kernels/traps/instruction_traps.h"

namespace halftone::testing {

bool EmulateFp16(ucontext_t& context);

// Instructions that all threads have executed in software so far.
std::int64_t TrappedFp16Instructions();

}  // namespace halftone::testing
