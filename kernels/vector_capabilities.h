// Capabilities of a Highway target, or of the compiler flags of a file, for differences between
// targets that Highway does not hide. No other file of kernels/ compares targets.
//
// `#if HALFTONE_CAN(CONVERT_HALVES)` is evaluated anew for each target. Without this header it does
// not compile, and a misspelt name is an error of -Wundef.
#pragma once

// Highway numbers the targets of x86 so that a better target has a smaller number. Targets better
// than AVX-512 have all capabilities of AVX-512.
#define HALFTONE_X86_AT_LEAST(target) (HWY_ARCH_X86 && HWY_TARGET <= (target))

#define HALFTONE_CAN(capability) HALFTONE_CAN_##capability

// Vectors have two lanes or more, so that halves and even and odd lanes exist.
#define HALFTONE_CAN_SPLIT_VECTORS (HWY_TARGET != HWY_SCALAR)
// Infinities survive in DemoteTo(), MinOfLanes() and MaxOfLanes(), where Highway uses instructions.
// Its two emulations demote an infinite double to the largest float, and begin the search for the
// extreme lane with the largest finite numbers.
#define HALFTONE_CAN_KEEP_INFINITIES (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
// Conversion of binary16 to and from float32 with correct rounding, subnormals, infinities and NaN
// (F16C). Elsewhere Highway emulates it without infinities.
#define HALFTONE_CAN_CONVERT_HALVES HALFTONE_X86_AT_LEAST(HWY_AVX2)
// Masked loads and stores of 32 bits, which do not touch the other lanes.
#define HALFTONE_CAN_MASK_MEMORY HALFTONE_X86_AT_LEAST(HWY_AVX2)
// Min() and Max() return the second operand if one is NaN or both are zero (x86).
#define HALFTONE_CAN_CHOOSE_SECOND HALFTONE_X86_AT_LEAST(HWY_AVX2)
// TableLookupBytesOr0() reads bits 0 to 3 and 7 of an index (pshufb). Elsewhere an index from 16 to
// 127 has no defined result.
#define HALFTONE_CAN_IGNORE_INDEX_BITS HALFTONE_X86_AT_LEAST(HWY_AVX2)
// MulAdd() rounds once.
#define HALFTONE_CAN_FUSE_MULTIPLY_ADD HALFTONE_X86_AT_LEAST(HWY_AVX2)
// vscalefps, vrcp14ps, 32 registers of 64 bytes.
#define HALFTONE_CAN_AVX512 HALFTONE_X86_AT_LEAST(HWY_AVX3)

// Instructions that the compiler flags of the file allow (kernels/*/CMakeLists.txt): vdpbf16ps and
// vcvtneps2bf16; vpdpbusd; vfmadd231ph; vpermi2b.
#if defined(__AVX512BF16__)
#define HALFTONE_CAN_DOT_BFLOAT16 1
#else
#define HALFTONE_CAN_DOT_BFLOAT16 0
#endif
#if defined(__AVX512VNNI__)
#define HALFTONE_CAN_DOT_BYTES 1
#else
#define HALFTONE_CAN_DOT_BYTES 0
#endif
#if defined(__AVX512FP16__)
#define HALFTONE_CAN_MULTIPLY_FLOAT16 1
#else
#define HALFTONE_CAN_MULTIPLY_FLOAT16 0
#endif
#if defined(__AVX512VBMI__)
#define HALFTONE_CAN_SHUFFLE_TABLES 1
#else
#define HALFTONE_CAN_SHUFFLE_TABLES 0
#endif
