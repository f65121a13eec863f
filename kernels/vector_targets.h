// Instruction sets that Highway compiles kernels for; include before any Highway header.
//
// They are AVX-512, AVX2 and the portable fallback. CPUs with SSSE3 or SSE4 only take the fallback:
// nobody tunes networks on them, and each target costs compile time.
// CpuIsaTest.EveryHighwayTargetIsListedOrDeclined fails for a target that is neither declined here
// nor in VectorTargets() (kernels/cpu_isa.h).
#pragma once

#define HALFTONE_DECLINED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#define HWY_DISABLED_TARGETS HALFTONE_DECLINED_TARGETS
