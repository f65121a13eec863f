// Symmetric ranges of the least entropy loss, as ONNX Runtime's and TensorRT's calibrators find
// them.
#pragma once

#include <span>

#include "src/quantization/quantization.h"

namespace halftone {

// ONNX Runtime (tools/quantization/calibrate.py, get_entropy_threshold; 128 levels): `counts` lie
// in equal bins from -magnitude to magnitude. Windows of 2 i + 1 bins about the middle are tried, i
// from 64 to half of the bins; the first with the least divergence wins. Q is ONNX Runtime's: every
// bin of a level holds the mean of the level over the nonempty bins of P, rounded down; bins that
// the division by 128 leaves over hold 0. Fewer than 128 bins or no counts: the whole range.
ValueRange OnnxRuntimeEntropyRange(std::span<const double> counts, double magnitude);

// TensorRT (its toolkit: modelopt/torch/quantization/calib/histogram.py; 128 levels): `counts` lie
// in equal bins of |x| from 0 to magnitude. Bin 0 is given the count of bin 1. The first i bins
// stay, i from 128 to all, and values beyond go to the last of them; the last i with the least
// divergence wins. Returns the upper edge of the bins that stay; `magnitude` for fewer than 128
// bins or no counts.
double TensorRtEntropyMagnitude(std::span<const double> counts, double magnitude);

}  // namespace halftone
