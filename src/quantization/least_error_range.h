// Ranges with the least squared error on a histogram: methods mse, ifmr and sqnr. Every range
// contains 0. Asymmetric ranges lie within the range of the histogram extended to 0.
#pragma once

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The range with the least ErrorOnGrid() (range_error.h) that a coordinate descent over bin edges
// finds. In each of three rounds it tries about 64 candidates for the upper end, then for the lower
// end. In the first round these are spread over all bins on that side of 0; in the others they are
// the bins around the best. So it makes at most 400 passes over the histogram. If `symmetric`, it
// searches one magnitude c with SymmetricGrid() and returns -c to c. AIMET (MseEncodingAnalyzer)
// instead tries all pairs of edges, with values at bin centres.
ValueRange LeastSquaresRange(const TensorHistogram& histogram, bool symmetric);

// The range of AMCT's IFMR: the candidate with the least ErrorOnGrid(). The lower end of every
// candidate is the 0.000001 quantile; the upper end is the 0.999999 quantile times a factor from
// 0.70 to 1.30 in steps of 0.01, but at most the observed maximum. If `symmetric`, the factor
// scales the larger magnitude of the two quantiles, which both ends of the range get.
ValueRange IfmrRange(const TensorHistogram& histogram, bool symmetric);

// The range of AIMET's TF-Enhanced (TfEnhancedEncodingAnalyzer): the candidate with the least
// squared error at bin centres, where the error of a value beyond the ends counts three times. Let
// s be (high - low) / 255 of the observed range. The candidates are the observed range and, cut to
// it, the ranges of 17 steps, s/16 to 17 s/16, with each of 21 offsets, -255 to 0. If `symmetric`,
// s is 2 magnitude / 255, and the candidates reach from -128 to 127 steps, for 101 steps, 0.01 s to
// 1.01 s. In AIMET the cut of a step remains for the offsets that follow; here it does not.
ValueRange SqnrRange(const TensorHistogram& histogram, bool symmetric);

}  // namespace halftone
