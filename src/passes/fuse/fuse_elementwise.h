// Activations that exporters write as several element-wise nodes.
//
// With u the unit roundoff of the dtype, the fused and the unfused form of finite x, each node
// rounded once, differ by at most
//   Gelu, both forms   7u |x|
//   Swish              (4 + |a x|) u |y|
//   HardSwish          6u |x|
//   Mish               6u |x|
// where nothing in the chain overflows. At -inf they agree: NaN.
// Derivations stand in tests/passes/fuse/fuse_elementwise_test.cc, which checks the numbers.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// x Phi(x) by erf, and its form with tanh; Mul and Div in any order: Gelu.
void FuseGelu(Graph& graph, const Fusing& fusing = {});

// x sigmoid(a x), a = 1 where there is no such factor: Swish.
void FuseSwish(Graph& graph, const Fusing& fusing = {});

// x HardSigmoid(x) with slope 1/6, or x Clip(x + 3, 0, 6) / 6: HardSwish.
void FuseHardSwish(Graph& graph, const Fusing& fusing = {});

// x tanh(softplus(x)): Mish.
void FuseMish(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
