// Fusion of a MatMul with its bias.
#pragma once

#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// A MatMul of two matrices whose result only an Add of a constant with one value per column (or one
// value) reads becomes a Gemm with that bias. Its precision class and IR type do not change.
void MatMulToGemm(Graph& graph, const Fusing& fusing = {});

}  // namespace halftone
