// Ranges with the least Kullback-Leibler divergence between a histogram and its approximation by
// 255 levels, for windows that shrink from the whole histogram.
//
// Both searches start with all bins and go on while the window holds at least 255. Values outside
// the window go to its end bins (P); its bins are merged to 255 levels, each level's mean spread
// over its nonempty bins (Q). Zeros of P and Q become 1e-4, taken from the other entries. The
// window loses a bin at each end, or two at the end where fewer values lie; a symmetric one loses
// one at each.
#pragma once

#include <cstddef>
#include <span>

#include "src/quantization/quantization.h"

namespace halftone {

// Glow (lib/Quantization/Base/Calibration.cpp, optimizeKL), in float32 as there: every level but
// the last has floor(window / 255) bins, Q is filled where P is not 0. The result may lie on one
// side of 0. `symmetric`: `range` must have a negative and a positive end, and the result keeps
// their ratio. Fewer than 255 bins, or bins that float32 does not resolve: `range` as it is.
ValueRange GlowKlRange(std::span<const float> counts, ValueRange range, bool symmetric);

// AIMET (EntropyEncodingAnalyzer): levels have ceil(k * window / 255) bins up to their ends, Q is
// filled where the histogram is not 0, the search ends when P or Q is empty, an asymmetric window
// is never moved past 0. Sums in double. Otherwise as GlowKlRange().
ValueRange AimetKlRange(std::span<const double> counts, ValueRange range, bool symmetric);

// True if the width of `bins` bins over `range` is a normal float32, and so is their sum.
bool HasFloat32Bins(ValueRange range, std::size_t bins);

}  // namespace halftone
