// Fusion of activations that exporters write as several element-wise nodes.
//
// With u the unit roundoff of the dtype and each node rounded once, the fused and the unfused
// result y for finite x differ by at most
//   Gelu, erf or tanh  7u |x|
//   Swish              (4 + |a x|) u |y|
//   HardSwish          6u |x|
//   Mish               6u |x|
// unless an intermediate value overflows. For x = -inf both are NaN.
// tests/passes/fuse/fuse_elementwise_test.cc derives and checks these bounds.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Fuses Gelu: x Phi(x) by erf, or its approximation by tanh, with Mul and Div in any order.
void FuseGelu(Graph& graph, const Fusing& fusing = {});

// Fuses Swish: x sigmoid(a x) with a constant a, or x sigmoid(x).
void FuseSwish(Graph& graph, const Fusing& fusing = {});

// Fuses HardSwish: x HardSigmoid(x) with slope 1/6, or x Clip(x + 3, 0, 6) / 6.
void FuseHardSwish(Graph& graph, const Fusing& fusing = {});

// Fuses Mish: x tanh(softplus(x)).
void FuseMish(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
