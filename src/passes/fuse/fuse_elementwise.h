// Fusion of activations that exporters write as several element-wise nodes.
//
// With u the unit roundoff of the dtype, the fused and the unfused result for finite x, each node
// rounded once, differ by at most
//   Gelu, erf or tanh  7u |x|
//   Swish              (4 + |a x|) u |y|
//   HardSwish          6u |x|
//   Mish               6u |x|
// unless an intermediate value overflows. At -inf they agree: NaN.
// tests/passes/fuse/fuse_elementwise_test.cc derives and checks the numbers.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Gelu: x Phi(x) by erf, or approximated by tanh; Mul and Div in any order.
void FuseGelu(Graph& graph, const Fusing& fusing = {});

// Swish: x sigmoid(a x), a = 1 where there is no such factor.
void FuseSwish(Graph& graph, const Fusing& fusing = {});

// HardSwish: x HardSigmoid(x) with slope 1/6, or x Clip(x + 3, 0, 6) / 6.
void FuseHardSwish(Graph& graph, const Fusing& fusing = {});

// Mish: x tanh(softplus(x)).
void FuseMish(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
