// Ranges with the least Kullback-Leibler divergence between a histogram and its approximation by
// 255 levels, for windows that shrink from the whole histogram.
//
// Both searches start with a window of all bins and go on while it holds at least 255. P is the
// window with the counts outside added to its end bins. For Q, the bins of the window are merged to
// 255 levels, and the mean of a level is spread over its nonempty bins. Zeros of P and Q become
// 1e-4, taken from the other bins. After each step the window loses two bins: one at each end, or
// both at one end if fewer values lie there. A symmetric window always loses one at each end.
#pragma once

#include <cstddef>
#include <span>

#include "src/quantization/quantization.h"

namespace halftone {

// The range of Glow (lib/Quantization/Base/Calibration.cpp, optimizeKL), in float32 as there.
// Every level but the last has floor(window / 255) bins, and Q is filled where P is not 0. The
// result may lie on one side of 0. If `symmetric`, the two ends of the result have the same ratio
// as those of `range`. `range` is returned as it is if there are fewer than 255 bins, if
// HasFloat32Bins() is false, or if `symmetric` and `range` lies on one side of 0.
ValueRange GlowKlRange(std::span<const float> counts, ValueRange range, bool symmetric);

// The range of AIMET (EntropyEncodingAnalyzer), with sums in double. Level k, from 0, begins at bin
// ceil(k * window / 255) of the window, and Q is filled where the histogram is not 0. The search
// ends at a window without counts. An asymmetric window never moves past 0. Otherwise as
// GlowKlRange().
ValueRange AimetKlRange(std::span<const double> counts, ValueRange range, bool symmetric);

// True if both the extent of `range` and the width of one of its `bins` equal bins are normal
// float32 numbers.
bool HasFloat32Bins(ValueRange range, std::size_t bins);

}  // namespace halftone
