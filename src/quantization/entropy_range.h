// Ranges with the least Kullback-Leibler divergence D(P || Q) between a histogram P and its
// approximation Q by 128 levels, as the calibrators of ONNX Runtime and TensorRT find them.
#pragma once

#include <span>

#include "src/quantization/quantization.h"

namespace halftone {

// The range of ONNX Runtime (tools/quantization/calibrate.py, get_entropy_threshold). `counts` are
// of equal bins from -magnitude to magnitude. The candidates are windows of 2 i + 1 bins about the
// middle bin, i from 64 to half the number of bins, cut at the last bin. P is the window with the
// counts outside added to its end bins. Each of the 128 levels of Q has floor(window / 128) bins;
// each of these bins holds the counts of the level inside the window, divided by the number of
// bins of the level that are not empty in P, and rounded down. The bins left over behind the last
// level add their counts to it but hold 0. Zeros of P and Q become 1e-4, taken from the other
// bins. Returns the first window with the least divergence; the whole range for fewer than 128
// bins or no counts.
ValueRange OnnxRuntimeEntropyRange(std::span<const double> counts, double magnitude);

// The magnitude of TensorRT (its toolkit: modelopt/torch/quantization/calib/histogram.py).
// `counts` are of equal bins of |x| from 0 to `magnitude`; bin 0 takes the count of bin 1. The
// candidates are the first i bins, i from 128 to all. P is these bins with the counts beyond added
// to the last. In Q, each nonempty bin has the mean of the nonempty bins of its level; others have
// 0. Returns the upper edge of the largest candidate with the least divergence; `magnitude` for
// fewer than 128 bins or no counts.
double TensorRtEntropyMagnitude(std::span<const double> counts, double magnitude);

}  // namespace halftone
