// Which instruction sets Highway compiles kernels for; include before any Highway header.
//
// AVX-512, AVX2 and the portable fallback. SSSE3 and SSE4 machines take the fallback: nobody tunes
// networks on them, and each target costs compile time.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
