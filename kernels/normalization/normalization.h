// Normalisation: BatchNormalization (inference), GroupNormalization, InstanceNormalization,
// LayerNormalization, RMSNormalization, MeanVarianceNormalization, LpNormalization, LRN.
//
// Errors before the rounding to the dtype of the result, with u = 2^-24, s = scale, b = bias,
// m = mean, v = variance, and n = elements of a row, in vectors of `lanes` floats:
//   LayerNormalization and InstanceNormalization, high_precision (two passes, sums in double)
//     |error| <= 9u |y - b| + u |y| + 4u^2 |m s| / sqrt(v + epsilon). Terms of 9u: 2u of x - m;
//     half of the 4u of v, which the root passes on; roundings of root, factor and product.
//   LayerNormalization high_performance (one pass in float32, v = E[x^2] - m^2), with
//   K = n / lanes + 12:
//     |error| <= u K (1 + r) (|y - b| + |s|), r = (m^2 + v) / (v + epsilon), because digits cancel
//     when the mean is large against the spread. The bound holds while u K r < 1/4; beyond that,
//     the result is only finite. In float16 arithmetic: kernels/normalization/fp16_rows.h.
//   RMSNormalization  y = x s / sqrt(mean(x^2) + epsilon), while the squares stay below 2^128
//     high_precision (squares rounded, their sum in double)  rel 4u: half of the u of the squares,
//     and the roundings of the root, of its product with x and of the product with s.
//     high_performance (sum in float32)  rel u K / 2, K as for LayerNormalization: the root passes
//     on half of n / lanes + 3 of the sum and of 2 of mean and epsilon; root and products add 4.
//     Squares below 2^-126 are lost, which adds 2^-127 / epsilon relative.
//   BatchNormalization  |error| <= 4u (|x a| + |m a| + |b|), a = s / sqrt(v + epsilon).
//   GroupNormalization, vector  as BatchNormalization; the statistics are computed in double.
//   MeanVarianceNormalization, LpNormalization, LRN, specification  computed in double, rel 2u.
//   MeanVarianceNormalization, vector, n elements of standard deviation d
//     |error| <= u |y| + (n + 6) 2^-53 (|y| + |x|max / (d + 1e-9)): mean and variance have an error
//     of n 2^-53 relative to their terms; difference, root, sum, quotient and product add 2^-53
//     each. For subnormal results 2^-150 more.
//   LpNormalization, vector, n elements
//     rel u + (n + 4) 2^-53: powers of floats are exact in double; their sum has an error of
//     n 2^-53; root, quotient and product add 2^-53 each; the rounding to float32 adds u. For
//     subnormal results 2^-150 more.
//   LRN, vector, a window of w channels
//     rel (beta (w + 4) + 5) u. All squares are positive, so the error of the sum is at most
//     (w + 1) u; factor, bias and their sum add 3u. The power multiplies that by beta and adds 4u
//     (two roots and a product); the quotient adds u. Squares must be finite in float32,
//     |x| < 2^64; for larger x the result is 0.
// Checked with these numbers by NormalizationTest.
#pragma once

#include <memory>
#include <span>

#include "kernels/kernel_table.h"
#include "kernels/normalization/normalized_row.h"

namespace halftone {

// Best first, references last.
std::span<const KernelEntry> NormalizationKernels();

// Row loop of LayerNormalization; with kHighPrecision also of InstanceNormalization.
NormalizeRow FindNormalizeRow(DType dtype, ImplMode mode);
// Row loop of RMSNormalization, which uses neither the mean nor a bias.
NormalizeRow FindRmsRow(DType dtype, ImplMode mode);

// BatchNormalization (batch.cc) in either layout, with a fused Relu or Clip: vector loops, and the
// specification in double. Needs scratch unless all parameters are constant.
std::unique_ptr<KernelState> PrepareBatch(const KernelQuery& query);
std::size_t BatchScratchBytes(const KernelState& state);
void RunBatch(const KernelArgs& args) noexcept;
void RunBatchReference(const KernelArgs& args) noexcept;

// LRN (lrn.cc): vector loop RunVectorLrn(), specification in double RunLrn().
std::unique_ptr<KernelState> PrepareLrn(const KernelQuery& query);
std::string_view VectorLrnRefusal(const KernelQuery& query);
void RunVectorLrn(const KernelArgs& args) noexcept;
void RunLrn(const KernelArgs& args) noexcept;

// GroupNormalization (group.cc). Scale and bias are per channel, or per group as in opsets before
// 21.
std::unique_ptr<KernelState> PrepareGroup(const KernelQuery& query);
void RunGroup(const KernelArgs& args) noexcept;
void RunGroupReference(const KernelArgs& args) noexcept;

// Epsilon of MeanVarianceNormalization over any axes: (x - mean) / (standard deviation + epsilon).
inline constexpr double kMeanVarianceEpsilon = 1e-9;

// Specifications in double (over_axes.cc) of MeanVarianceNormalization and of LpNormalization,
// which is x / (sum |x|^p)^(1/p) along one axis, and 0 where the norm is 0.
std::unique_ptr<KernelState> PrepareAxesNormalization(const KernelQuery& query);
std::size_t AxesNormalizationScratch(const KernelState& state);
void RunAxesNormalization(const KernelArgs& args) noexcept;

// Vector loops of MeanVarianceNormalization (mean_variance.cc).
std::unique_ptr<KernelState> PrepareMeanVariance(const KernelQuery& query);
void RunMeanVariance(const KernelArgs& args) noexcept;

// Vector loops of LpNormalization (lp.cc).
std::string_view VectorLpRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareVectorLp(const KernelQuery& query);
void RunVectorLp(const KernelArgs& args) noexcept;

// Specifications in double of Instance-, Layer- and RMSNormalization (reference.cc).
std::unique_ptr<KernelState> PrepareNormalizationReference(const KernelQuery& query);
void RunNormalizationReference(const KernelArgs& args) noexcept;

}  // namespace halftone
