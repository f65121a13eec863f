// Ranges of the least squared error on a histogram: mse, ifmr, sqnr. All contain 0; those of
// asymmetric searches lie within the histogram's range with 0 added.
#pragma once

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// The range between bin edges with the least ErrorOnGrid() (range_error.h), found by coordinate
// descent: three rounds of 64 candidates for each end, in steps of 1/64 of the bins on its side of
// 0, then of one bin around the best; at most 3 * 2 * 64 passes over the bins. `symmetric`:
// searches one magnitude c on SymmetricGrid(); the result is -c to c. AIMET (MseEncodingAnalyzer)
// tries all pairs of edges, with values at bin centres.
ValueRange LeastSquaresRange(const TensorHistogram& histogram, bool symmetric);

// AMCT's IFMR: the range with the least ErrorOnGrid(). Its lower end is the order statistic of
// 0.000001, its upper end that of 0.999999 times a factor from 0.70 to 1.30, in steps of 0.01, and
// at most the observed maximum. `symmetric`: the factor scales the magnitude.
ValueRange IfmrRange(const TensorHistogram& histogram, bool symmetric);

// AIMET's TF-Enhanced (TfEnhancedEncodingAnalyzer): squared error at bin centres, 3 times that of
// values beyond the ends. Candidates are the observed range, and 17 steps (1/16 to 17/16 of the
// largest) x 21 offsets (-255 to 0), each made to lie within it. `symmetric`: 101 steps, from -128
// to 127 of them. Unlike there, an offset does not inherit the step that the one before was cut to.
ValueRange SqnrRange(const TensorHistogram& histogram, bool symmetric);

}  // namespace halftone
