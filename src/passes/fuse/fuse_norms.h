// Fusion of normalisations that exporters write as means, roots and products.
//
// Let u be the unit roundoff of the dtype, m and v the mean and variance of a row,
// s^2 = v + epsilon, n = (x - m) / s, q = |m| / s and r = (m^2 + v) / s^2. To first order in u, and
// with each node rounded once, the fused and the unfused result y differ by at most
//   LayerNormalization, variance from x - m       u |gamma| (3 q + |n| (3 q + 9)) + 2u |y|
//   variance as E[x^2] - m^2                      u |gamma| (3 q + |n| (6 r + 6)) + 2u |y|
//   and with gamma / s multiplied out             u (|gamma| (|x| + |m|) / s (3 q + 12) + |beta|)
//                                                 + 2u |y|
//   RMSNormalization                              8u |y|
// unless an intermediate value overflows. If the mean is large against the spread, the unfused
// nodes lose digits by cancellation; the fused node does not. tests/passes/fuse/fuse_norms_test.cc
// derives and checks these bounds.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses LayerNormalization: (x - mean) / sqrt(variance + epsilon) over the last axes, with or
// without constant gamma and beta. A mean is a ReduceMean, or a ReduceSum times 1 / count.
void FuseLayerNorm(Graph& graph, const Fusing& fusing = {});

// Fuses RMSNormalization: x / sqrt(mean of x^2 + epsilon) over the last axes, with or without
// constant gamma.
void FuseRmsNorm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
