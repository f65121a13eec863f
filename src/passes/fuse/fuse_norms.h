// Fusion of normalisations that exporters write as means, roots and products.
//
// With u the unit roundoff of the dtype; m, v mean and variance of a row, s^2 = v + epsilon,
// n = (x - m) / s, q = |m| / s, r = (m^2 + v) / s^2; to first order in u, the fused and the unfused
// result, each node rounded once, differ by at most
//   LayerNormalization, variance from x - m       u |gamma| (3 q + |n| (3 q + 9)) + 2u |y|
//   variance as E[x^2] - m^2                      u |gamma| (3 q + |n| (6 r + 6)) + 2u |y|
//   and with gamma / s multiplied out             u (|gamma| (|x| + |m|) / s (3 q + 12) + |beta|)
//                                                 + 2u |y|
//   RMSNormalization                              8u |y|
// unless an intermediate value overflows. The cancellation of unfused nodes, when the mean is large
// against the spread, does not occur in the fused node. tests/passes/fuse/fuse_norms_test.cc
// derives and checks the numbers.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// (x - mean) / sqrt(variance + epsilon) over the last axes, with constant gamma and beta or
// without: LayerNormalization. A mean may be a ReduceMean, or a ReduceSum times 1 / count.
void FuseLayerNorm(Graph& graph, const Fusing& fusing = {});

// x / sqrt(mean of x^2 + epsilon) over the last axes, with constant gamma or without:
// RMSNormalization.
void FuseRmsNorm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
