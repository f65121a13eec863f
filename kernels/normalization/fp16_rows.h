// LayerNormalization and RMSNormalization of rows of float16 by the instructions of AVX512-FP16.
#pragma once

#include "kernels/normalization/normalized_row.h"

namespace halftone {

// The high_performance mode of float16, in one pass: elements and squares are summed in float16 by
// fours, and these sums in float32; differences and products are float16. Requires kIsaAvx512Fp16
// and a `scale`.
//
// Errors of the float16 result, with m, v, s, b of normalization.h, w = 2^-11, q = mean(x^2), v = q
// - m^2, r = q / (v + epsilon), and z = 2^-26 / (v + epsilon) for squares below 2^-14:
//   LayerNormalization
//     |error| <= 5w (1 + r) (|y - b| + |s|) + w |y| + z |y - b| + 2^-24 (1 + |s|)
//     Its terms: the mean adds 2w sqrt(q), and its rounding to float16 w |m|; x - m adds w; q adds
//     4w, hence v adds 8w q and the root 4w r; factor and product add w each; the sum with b adds
//     w |y|.
//   RMSNormalization, with v = q
//     |error| <= 6w |y| + z |y| + 2^-24 (1 + |s|)
//
// Returns false and writes nothing if r > 32, a sum overflows (possible for |x| >= 128), the factor
// is no normal float16, or the compiler cannot build for AVX512-FP16. The caller computes such a
// row in float32.
bool NormalizeFloat16Row(const NormalizedRow& row) noexcept;
bool RmsNormalizeFloat16Row(const NormalizedRow& row) noexcept;

}  // namespace halftone
